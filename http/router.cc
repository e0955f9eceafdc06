#include "http/router.h"

#include <algorithm>
#include <utility>

#include "ssxrver/base/strings.h"

namespace ssx::http {

struct Router::Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
  std::unique_ptr<Node> placeholder;
  std::unique_ptr<Node> rest;

  // Of a node where patterns end. Two patterns that differ only in the names of their placeholders
  // are the same pattern, so the names belong here.
  std::array<std::unique_ptr<Route>, kMethodCount> routes;
  std::unique_ptr<Route> any_method;
  std::vector<std::string> names;

  [[nodiscard]] bool has_routes() const noexcept {
    return any_method != nullptr || std::any_of(routes.begin(), routes.end(),
                                                [](const auto& route) { return route != nullptr; });
  }
  [[nodiscard]] const Route* find(Method method) const noexcept {
    const auto& own = routes[static_cast<std::size_t>(method)];
    if (own != nullptr) return own.get();
    if (method == Method::kHead) {
      const auto& get = routes[static_cast<std::size_t>(Method::kGet)];
      if (get != nullptr) return get.get();
    }
    return any_method.get();
  }
  [[nodiscard]] MethodSet allowed() const noexcept {
    MethodSet set = method_bit(Method::kOptions);
    for (std::size_t method = 0; method < routes.size(); ++method) {
      if (routes[method] != nullptr) set |= static_cast<MethodSet>(1U << method);
    }
    if (set & method_bit(Method::kGet)) set |= method_bit(Method::kHead);
    return set;
  }
};

namespace {

struct Segment {
  enum class Kind { kLiteral, kPlaceholder, kRest } kind;
  std::string_view text;  ///< the literal, or the placeholder's name
};

bool is_name(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

Result<Segment> parse_segment(std::string_view text) {
  if (text == "*") return Segment{Segment::Kind::kRest, "rest"};
  if (text.find_first_of("{}*") == std::string_view::npos)
    return Segment{Segment::Kind::kLiteral, text};
  if (text.size() < 3 || text.front() != '{' || text.back() != '}') {
    return fail(ssx::Errc::kInvalidArgument, "route pattern");
  }
  std::string_view name = text.substr(1, text.size() - 2);
  const bool is_rest = name.ends_with("...");
  if (is_rest) name.remove_suffix(3);
  if (!is_name(name)) return fail(ssx::Errc::kInvalidArgument, "route pattern");
  return Segment{is_rest ? Segment::Kind::kRest : Segment::Kind::kPlaceholder, name};
}

Result<std::vector<Segment>> parse_pattern(std::string_view pattern) {
  if (pattern.empty() || pattern.front() != '/')
    return fail(ssx::Errc::kInvalidArgument, "route pattern");
  std::vector<Segment> segments;
  std::size_t placeholders = 0;
  Result<void> parsed;
  for_each_part(pattern.substr(1), '/', [&](std::string_view text) {
    if (!parsed) return;
    const auto segment = parse_segment(text);
    const bool after_rest = !segments.empty() && segments.back().kind == Segment::Kind::kRest;
    if (!segment || after_rest) {
      parsed = fail(ssx::Errc::kInvalidArgument, "route pattern");
      return;
    }
    if (segment->kind != Segment::Kind::kLiteral) ++placeholders;
    segments.push_back(*segment);
  });
  if (!parsed) return fail(parsed.error());
  if (placeholders > Params::kMax) return fail(ssx::Errc::kOverflow, "route pattern");
  return segments;
}

}  // namespace

RouteLimits RouteLimits::from(const HttpOptions& options) {
  return {options.body_max, options.timeouts.body, options.timeouts.body_min_rate,
          options.timeouts.write, options.timeouts.write_min_rate};
}

Router::Router() : any_host_(std::make_unique<Node>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

Result<void> Router::add(std::string_view host, const std::vector<Method>& methods,
                         std::string_view pattern, Route route) {
  SSX_TRY(const auto segments, parse_pattern(pattern));
  std::string lower(host);
  std::transform(lower.begin(), lower.end(), lower.begin(), ascii_lower);
  auto& tree = host.empty() ? any_host_ : hosts_[lower];
  if (tree == nullptr) tree = std::make_unique<Node>();
  Node* node = tree.get();
  std::vector<std::string> names;
  for (const Segment& segment : segments) {
    if (segment.kind != Segment::Kind::kLiteral) names.emplace_back(segment.text);
    auto& next = segment.kind == Segment::Kind::kLiteral ? node->literals[std::string(segment.text)]
                 : segment.kind == Segment::Kind::kPlaceholder ? node->placeholder
                                                               : node->rest;
    if (next == nullptr) next = std::make_unique<Node>();
    node = next.get();
  }
  if (node->has_routes() && node->names != names)
    return fail(ssx::Errc::kInvalidArgument, "route names");
  node->names = std::move(names);
  if (methods.empty()) {
    if (node->any_method != nullptr)
      return fail(ssx::Errc::kInvalidArgument, "route defined twice");
    node->any_method = std::make_unique<Route>(std::move(route));
  }
  for (const Method method : methods) {
    auto& place = node->routes[static_cast<std::size_t>(method)];
    if (place != nullptr) return fail(ssx::Errc::kInvalidArgument, "route defined twice");
    place = std::make_unique<Route>(route);
  }
  ++route_count_;
  return {};
}

Router::Match Router::match(std::string_view host, Method method, std::string_view path,
                            Params& params) const {
  const std::string_view rest = path.empty() ? path : path.substr(1);
  const Node* const own_host = hosts_.empty() ? nullptr : tree_of(host);
  const Node* const any_host = any_host_.get();
  for (const Node* tree : {own_host, any_host}) {
    if (tree == nullptr) continue;
    params.clear();
    const Node* leaf = descend(*tree, rest, params);
    if (leaf == nullptr) continue;
    name_params(*leaf, params);
    const Route* route = leaf->find(method);
    if (route == nullptr) return {Found::kOtherMethods, nullptr, leaf->allowed()};
    return {Found::kRoute, route, 0};
  }
  return {};
}

// The port does not choose a host.
const Router::Node* Router::tree_of(std::string_view host) const {
  if (const auto colon = host.rfind(':'); colon != std::string_view::npos && host.back() != ']') {
    host = host.substr(0, colon);
  }
  std::string lower(host);
  std::transform(lower.begin(), lower.end(), lower.begin(), ascii_lower);
  const auto found = hosts_.find(lower);
  return found == hosts_.end() ? nullptr : found->second.get();
}

void Router::name_params(const Node& leaf, Params& params) noexcept {
  for (std::size_t i = 0; i < params.size(); ++i) params.name(i, leaf.names[i]);
}

// Depth first, the more specific branch first. Each placeholder on the way is one more branch to
// come back to, and there are at most Params::kMax of them.
const Router::Node* Router::descend(const Node& node, std::string_view rest, Params& params) {
  const auto slash = rest.find('/');
  const bool is_last = slash == std::string_view::npos;
  const std::string_view segment = rest.substr(0, slash);
  const std::string_view after = is_last ? std::string_view() : rest.substr(slash + 1);
  const auto follow = [&](const Node& next) -> const Node* {
    if (!is_last) return descend(next, after, params);
    return next.has_routes() ? &next : nullptr;
  };
  if (const auto literal = node.literals.find(segment); literal != node.literals.end()) {
    if (const Node* found = follow(*literal->second)) return found;
  }
  if (node.placeholder != nullptr && !segment.empty()) {
    params.push({{}, segment});
    if (const Node* found = follow(*node.placeholder)) return found;
    params.pop();
  }
  if (node.rest != nullptr && node.rest->has_routes()) {
    params.push({{}, rest});
    return node.rest.get();
  }
  return nullptr;
}

std::string to_allow(MethodSet methods) {
  std::string text;
  for (int method = 0; method < kMethodCount; ++method) {
    if (!(methods >> method & 1)) continue;
    if (!text.empty()) text += ", ";
    text += to_string(static_cast<Method>(method));
  }
  return text;
}

}  // namespace ssx::http
