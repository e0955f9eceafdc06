// The paths of one host as a radix tree: what paths have in common at their beginning is compared
// once, and each fork is chosen by one byte.
//
// Thread: insert() while one thread has the Router; find() any thread after
// Owner:  the Router
// Life:   that of the Router
// Bounds: find() looks at no node twice, and never further than the longest pattern
#pragma once

#include <memory>
#include <string_view>

#include "http/params.h"
#include "http/path_routes.h"
#include "http/route_pattern.h"

namespace ssx::http {

class RouteTree {
 public:
  RouteTree();
  ~RouteTree();

  /// The routes of this pattern: new ones when there are none yet. kInvalidArgument when the
  /// pattern is there with other names.
  Result<PathRoutes*> insert(const RoutePattern& pattern);

  /// The most specific pattern of `path`, which is normalised and without its first slash; segment
  /// by segment literal text, then a placeholder, then the rest. Null: none. The values in `params`
  /// are views of `path`.
  [[nodiscard]] const PathRoutes* find(std::string_view path, Params& params) const;

 private:
  struct Node;

  static Node& grow(Node& from, std::string_view literal);
  static const PathRoutes* descend(const Node& node, std::string_view path, Params& params);

  std::unique_ptr<Node> root_;
};

}  // namespace ssx::http
