#include "http/route_tree.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ssx::http {

struct RouteTree::Node {
  std::string prefix;   ///< what leads here from the node above; of a placeholder nothing
  std::string choices;  ///< the first byte of each child's prefix
  std::vector<std::unique_ptr<Node>> children;
  std::unique_ptr<Node> placeholder;  ///< only where a segment begins
  std::unique_ptr<PathRoutes> end;    ///< of the patterns that end here
  std::unique_ptr<PathRoutes> rest;   ///< of those that take whatever follows

  [[nodiscard]] std::unique_ptr<Node>* child(char first) noexcept {
    const auto at = choices.find(first);
    return at == std::string::npos ? nullptr : &children[at];
  }
  [[nodiscard]] const Node* child(char first) const noexcept {
    const auto at = choices.find(first);
    return at == std::string::npos ? nullptr : children[at].get();
  }
  Node& add_child(std::unique_ptr<Node> child) {
    choices.push_back(child->prefix.front());
    children.push_back(std::move(child));
    return *children.back();
  }
};

RouteTree::RouteTree() : root_(std::make_unique<Node>()) {}
RouteTree::~RouteTree() = default;

Result<PathRoutes*> RouteTree::insert(const RoutePattern& pattern) {
  Node* node = root_.get();
  std::unique_ptr<PathRoutes>* place = nullptr;
  for (const PatternPart& part : pattern.parts()) {
    switch (part.kind) {
      case PatternPart::Kind::kLiteral:
        node = &grow(*node, part.text);
        break;
      case PatternPart::Kind::kPlaceholder:
        if (node->placeholder == nullptr) node->placeholder = std::make_unique<Node>();
        node = node->placeholder.get();
        break;
      case PatternPart::Kind::kRest:
        place = &node->rest;
        break;
    }
  }
  if (place == nullptr) place = &node->end;
  auto names = pattern.names();
  if (*place == nullptr)
    *place = std::make_unique<PathRoutes>(std::move(names));
  else if ((*place)->names() != names)
    return fail(ssx::Errc::kInvalidArgument, "route names");
  return place->get();
}

/// The node that `literal` leads to: a prefix that only begins alike is cut in two.
RouteTree::Node& RouteTree::grow(Node& from, std::string_view literal) {
  Node* node = &from;
  while (!literal.empty()) {
    std::unique_ptr<Node>* const place = node->child(literal.front());
    if (place == nullptr) {
      auto leaf = std::make_unique<Node>();
      leaf->prefix = literal;
      return node->add_child(std::move(leaf));
    }
    const std::string& prefix = (*place)->prefix;
    const auto [differs, ignored] =
        std::mismatch(prefix.begin(), prefix.end(), literal.begin(), literal.end());
    const auto common = static_cast<std::size_t>(differs - prefix.begin());
    if (common < prefix.size()) {
      auto upper = std::make_unique<Node>();
      upper->prefix = prefix.substr(0, common);
      (*place)->prefix.erase(0, common);
      upper->add_child(std::move(*place));
      *place = std::move(upper);
    }
    node = place->get();
    literal.remove_prefix(common);
  }
  return *node;
}

const PathRoutes* RouteTree::find(std::string_view path, Params& params) const {
  params.clear();
  const PathRoutes* const found = descend(*root_, path, params);
  if (found != nullptr) {
    for (std::size_t i = 0; i < params.size(); ++i) params.name(i, found->names()[i]);
  }
  return found;
}

// Depth first, the more specific branch first. Each placeholder on the way is one more branch to
// come back to.
const PathRoutes* RouteTree::descend(const Node& node, std::string_view path, Params& params) {
  if (path.empty()) {
    if (node.end != nullptr) return node.end.get();
  } else {
    const Node* const child = node.child(path.front());
    if (child != nullptr && path.starts_with(child->prefix)) {
      if (const auto* found = descend(*child, path.substr(child->prefix.size()), params))
        return found;
    }
    const std::string_view segment = path.substr(0, path.find('/'));
    if (node.placeholder != nullptr && !segment.empty()) {
      params.push({{}, segment});
      if (const auto* found = descend(*node.placeholder, path.substr(segment.size()), params))
        return found;
      params.pop();
    }
  }
  if (node.rest != nullptr) params.push({{}, path});
  return node.rest.get();
}

}  // namespace ssx::http
