#include "http/router.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

// Those that the parser lets through.
constexpr MethodSet kEveryMethod = method_bit(Method::kGet) | method_bit(Method::kHead) |
                                   method_bit(Method::kPost) | method_bit(Method::kPut) |
                                   method_bit(Method::kDelete) | method_bit(Method::kOptions) |
                                   method_bit(Method::kTrace) | method_bit(Method::kPatch);

}  // namespace

struct Router::Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
  std::unique_ptr<Node> placeholder;
  std::unique_ptr<Node> rest;

  // Of a node where patterns end. Two patterns that differ only in the names of their placeholders
  // are the same pattern, so the names belong here.
  std::array<std::unique_ptr<Route>, kMethodCount> routes;
  std::unique_ptr<Route> any_method;
  std::unique_ptr<Route> fallback;  ///< for the methods that none of them is for
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
      if (routes[method] != nullptr) set |= method_bit(static_cast<Method>(method));
    }
    return with_head(set);
  }
  static MethodSet with_head(MethodSet set) noexcept {
    return set & method_bit(Method::kGet) ? set | method_bit(Method::kHead) : set;
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
  // Normalised paths have no such segments.
  if (text == "." || text == "..") return fail(ssx::Errc::kInvalidArgument, "route pattern");
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

// Nothing follows a rest; only the last segment may be empty, which is a final slash; and every
// placeholder has a name of its own.
bool may_follow(const std::vector<Segment>& before, const Segment& next) {
  if (!before.empty() && (before.back().kind == Segment::Kind::kRest || before.back().text.empty()))
    return false;
  return next.kind == Segment::Kind::kLiteral ||
         std::none_of(before.begin(), before.end(), [&next](const Segment& earlier) {
           return earlier.kind != Segment::Kind::kLiteral && earlier.text == next.text;
         });
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
    if (!segment || !may_follow(segments, *segment)) {
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

// The port does not choose a host, nor does the dot that stands for the root of all names.
std::string_view host_name(std::string_view host) noexcept {
  const auto colon = host.rfind(':');
  if (colon != std::string_view::npos && host.back() != ']') host = host.substr(0, colon);
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

}  // namespace

RouteLimits RouteLimits::from(const HttpOptions& options) {
  const Timeouts& times = options.timeouts;
  return {options.body_max,           times.body,   times.body_min_rate,
          times.body_min_rate_grace,  times.write,  times.write_min_rate,
          times.write_min_rate_grace, times.handler};
}

Router::Router() : any_host_(std::make_unique<Node>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

Result<void> Router::add(std::string_view host, const std::vector<Method>& methods,
                         std::string_view pattern, Route route) {
  SSX_TRY(const auto segments, parse_pattern(pattern));
  SSX_TRY(route.limits_id, id_of(route.limits));
  auto& tree = host.empty() ? any_host_ : hosts_[std::string(host_name(host))];
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
  if (node->fallback == nullptr && route.fallback)
    node->fallback = std::make_unique<Route>(Route{route.fallback, route.limits, route.name});
  if (methods.empty()) {
    if (node->any_method != nullptr)
      return fail(ssx::Errc::kInvalidArgument, "route defined twice");
    node->any_method = std::make_unique<Route>(std::move(route));
    all_methods_ |= kEveryMethod;
  }
  for (const Method method : methods) {
    if (!(method_bit(method) & kEveryMethod))
      return fail(ssx::Errc::kInvalidArgument, "route method");
    auto& place = node->routes[static_cast<std::size_t>(method)];
    if (place != nullptr) return fail(ssx::Errc::kInvalidArgument, "route defined twice");
    place = std::make_unique<Route>(route);
    all_methods_ |= Node::with_head(method_bit(method));
  }
  ++route_count_;
  return {};
}

Result<LimitsId> Router::id_of(const RouteLimits& limits) {
  const auto found = std::find(limits_.begin(), limits_.end(), limits);
  if (found == limits_.end()) {
    if (limits_.size() == std::numeric_limits<LimitsId>::max())
      return fail(ssx::Errc::kOverflow, "route limits");
    limits_.push_back(limits);
    return static_cast<LimitsId>(limits_.size());
  }
  return static_cast<LimitsId>(found - limits_.begin() + 1);
}

bool Router::HostLess::operator()(std::string_view left, std::string_view right) const noexcept {
  return std::lexicographical_compare(
      left.begin(), left.end(), right.begin(), right.end(),
      [](char a, char b) { return ascii_lower(a) < ascii_lower(b); });
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
    if (route == nullptr)
      return {Found::kOtherMethods, nullptr, leaf->allowed(), leaf->fallback.get()};
    return {Found::kRoute, route, 0, nullptr};
  }
  return {};
}

const Router::Node* Router::tree_of(std::string_view host) const {
  const auto found = hosts_.find(host_name(host));
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

}  // namespace ssx::http
