// Routes that come and go together: a value, filled like an App, which an App takes with mount()
// before it runs, or with replace() at any time while it does.
//
//   RouteSet notes;
//   notes.get("/notes/{id}", show_note).post("/notes", add_note);
//   app.replace("notes", std::move(notes), [](const RoutesResult& done) { ... });
//
// Thread: one at a time
// Owner:  whoever fills it, then the App
// Life:   until an App takes it; groups of it no longer than that
// Bounds: 65535 different http::RouteLimits in all tables that an App has had;
//         RouteProblems::kMost sentences of what is wrong with a set
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/handler.h"
#include "http/method.h"
#include "http/target_template.h"
#include "ssxrver/app/route_settings.h"
#include "ssxrver/app/routes.h"
#include "ssxrver/base/result.h"
#include "ssxrver/base/unique_function.h"

namespace ssx {

class RouteBook;

/// Why routes cannot be: a sentence for each problem, which names the route and its set.
struct [[nodiscard]] RouteProblems {
  static constexpr std::size_t kMost = 20;

  std::vector<std::string> sentences;  ///< of the first kMost; then "and 3 more"

  /// All sentences, one per line, without a newline at the end.
  [[nodiscard]] std::string text() const;
};

using RoutesResult = Expected<void, RouteProblems>;

class RouteSet final : public Routes<RouteSet> {
 public:
  RouteSet() = default;
  RouteSet(RouteSet&&) noexcept = default;
  RouteSet& operator=(RouteSet&&) noexcept = default;

  /// Files below `root`, for GET and HEAD.
  RouteSet& files(std::string_view pattern, std::string root, RouteSettings settings = {});
  /// App::rewrite().
  RouteSet& rewrite(std::vector<http::Method> methods, std::string_view pattern,
                    std::string_view to, std::string host = {});

  [[nodiscard]] bool empty() const noexcept { return routes_.empty() && problems_.empty(); }

 private:
  friend class App;
  friend class RouteBook;
  friend class RouteGroup;
  friend class Routes<RouteSet>;

  struct Entry {
    std::vector<http::Method> methods;
    std::string pattern;
    http::Handler handler;
    RouteSettings settings;
    std::shared_ptr<const http::TargetTemplate> rewrite = {};
    HandlerMaker make = {};  ///< instead of `handler`, once it is known who serves
  };

  void add_route(std::vector<http::Method> methods, std::string pattern, http::Handler handler,
                 RouteSettings settings);
  void add_upgrade(std::string pattern, HandlerMaker make, RouteSettings settings);
  RouteGroup make_group(std::string_view prefix, RouteSettings settings);

  std::vector<Entry> routes_;
  std::vector<std::string> problems_;
  bool is_taken_ = false;  ///< an App has what was in it: nothing may be added
};

}  // namespace ssx
