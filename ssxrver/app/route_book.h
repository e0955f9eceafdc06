// All routes of an App by the sets that they came in, and the tables that are made of them. (i)
//
// Thread: one at a time: before the App runs whoever builds it, then its control loop
// Owner:  App
// Life:   that of the App
// Bounds: http::RouteRegister; RouteProblems::kMost
//
// A route is made once and is in every table until its set is replaced, so what its handler keeps
// (caches, counts) stays when others change.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/middleware.h"
#include "http/options.h"
#include "http/route_register.h"
#include "http/router.h"
#include "ssxrver/app/route_set.h"
#include "ssxrver/net/disposal.h"
#include "ssxrver/net/task_options.h"

namespace ssx {

namespace net {
class TaskPool;
}
namespace websocket {
class Service;
}

class RouteBook {
 public:
  using Table = Expected<std::shared_ptr<const http::Router>, RouteProblems>;

  /// What every route is made with; it outlives this.
  struct Surroundings {
    const std::vector<http::Middleware>& middleware;
    const http::HttpOptions& options;
    const net::TaskOptions& task_options;
    websocket::Service& websockets;
    const std::unique_ptr<net::TaskPool>& tasks;
    net::Disposal& disposal;  ///< of tables, when the last worker has let go of one
  };
  explicit RouteBook(const Surroundings& surroundings);

  /// The first table, of these sets. The name "" stands for the routes of the App itself.
  [[nodiscard]] Table begin(std::vector<std::pair<std::string, RouteSet>> sets);
  /// The next table: with these routes in place of those of that name, which may be none, and
  /// without the name when the set is empty. After an error everything is as it was, the numbers of
  /// limits included.
  [[nodiscard]] Table replace(std::string_view name, RouteSet set);

 private:
  struct Made {
    std::string host;
    std::vector<http::Method> methods;
    std::string pattern;
    std::shared_ptr<const http::Route> route;
  };
  struct Set {
    std::string name;
    std::vector<Made> routes;
  };
  using Sets = std::list<Set>;
  class Problems;

  [[nodiscard]] Set make(std::string name, RouteSet set, Problems& problems);
  [[nodiscard]] Result<Made> make(RouteSet::Entry entry);
  [[nodiscard]] std::shared_ptr<const http::Router> make_table(const std::vector<const Set*>& sets,
                                                               Problems& problems) const;
  [[nodiscard]] std::string find_owner(const std::vector<const Set*>& sets, const Made& of) const;

  const Surroundings in_;
  const std::shared_ptr<http::RouteRegister> register_;
  Sets sets_;  ///< those of the latest table
};

}  // namespace ssx
