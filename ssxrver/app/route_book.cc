#include "ssxrver/app/route_book.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "http/fallback.h"
#include "ssxrver/app/task_handler.h"

namespace ssx {
namespace {

// `route "/a" of "notes"`; those of the App have no set to be named.
std::string describe(std::string_view pattern, std::string_view set) {
  return set.empty() ? fmt::format("route \"{}\"", pattern)
                     : fmt::format("route \"{}\" of \"{}\"", pattern, set);
}

}  // namespace

/// The first of them in words, the others counted.
class RouteBook::Problems {
 public:
  /// `say` is called only where its sentence is wanted.
  template <class Say>
  void add(Say say) {
    if (++count_ <= RouteProblems::kMost) sentences_.push_back(say());
  }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] UnexpectedOf<RouteProblems> take() {
    if (count_ > RouteProblems::kMost)
      sentences_.push_back(fmt::format("and {} more", count_ - RouteProblems::kMost));
    return UnexpectedOf<RouteProblems>(RouteProblems{std::move(sentences_)});
  }

 private:
  std::vector<std::string> sentences_;
  std::size_t count_ = 0;
};

RouteBook::RouteBook(const Surroundings& surroundings)
    : in_(surroundings), register_(std::make_shared<http::RouteRegister>()) {}

RouteBook::Table RouteBook::begin(std::vector<std::pair<std::string, RouteSet>> sets) {
  Problems problems;
  std::vector<const Set*> all;
  for (auto& [name, set] : sets) {
    const bool is_there = std::any_of(sets_.begin(), sets_.end(),
                                      [&name](const Set& other) { return other.name == name; });
    if (is_there) problems.add([&name] { return fmt::format("\"{}\" is mounted twice", name); });
    sets_.push_back(make(name, std::move(set), problems));
    all.push_back(&sets_.back());
  }
  auto table = make_table(all, problems);
  if (!problems.empty()) return problems.take();
  return table;
}

RouteBook::Table RouteBook::replace(std::string_view name, RouteSet set) {
  Problems problems;
  const auto numbers = register_->limits().size();
  const bool goes = set.empty();
  Sets made;
  made.push_back(make(std::string(name), std::move(set), problems));
  const auto old = std::find_if(sets_.begin(), sets_.end(),
                                [name](const Set& other) { return other.name == name; });
  std::vector<const Set*> all;
  for (auto it = sets_.begin(); it != sets_.end(); ++it) {
    all.push_back(it == old ? &made.front() : &*it);
  }
  if (old == sets_.end()) all.push_back(&made.front());
  auto table = make_table(all, problems);
  if (!problems.empty()) {
    register_->take_back(numbers);
    return problems.take();
  }
  if (!goes) sets_.splice(old, made);  // in its place, so that the order stays
  if (old != sets_.end()) sets_.erase(old);
  return table;
}

// ---- making

RouteBook::Set RouteBook::make(std::string name, RouteSet set, Problems& problems) {
  Set made{std::move(name), {}};
  for (std::string& problem : set.problems_) {
    problems.add([&problem] { return std::move(problem); });
  }
  for (RouteSet::Entry& entry : set.routes_) {
    const std::string pattern = entry.pattern;
    auto route = make(std::move(entry));
    if (route) {
      made.routes.push_back(*std::move(route));
    } else {
      problems.add([&] { return describe(pattern, made.name) + ": " + route.error().message(); });
    }
  }
  return made;
}

Result<RouteBook::Made> RouteBook::make(RouteSet::Entry entry) {
  RouteSettings& settings = entry.settings;
  if (entry.make) entry.handler = entry.make(in_.websockets, entry.pattern);
  const bool is_function = !entry.handler.is_async();
  if (settings.body == http::BodyMode::kStream && is_function)
    return fail(Errc::kUnsupported, "only a coroutine can read a body that is still arriving");
  if (settings.run_on == RunOn::kTasks) {
    if (!is_function) return fail(Errc::kUnsupported, "a coroutine cannot run on a task thread");
    const net::TaskOptions& tasks = in_.task_options;
    if (tasks.threads == 0 && tasks.overflow != net::TaskOverflow::kRunOnLoop)
      return fail(Errc::kUnsupported, "there is no task thread (AppOptions::tasks.threads)");
    entry.handler = run_on_tasks(in_.tasks, in_.disposal, std::move(entry.handler));
  }
  RouteSettings all{.middleware = in_.middleware};
  all = all.with(std::move(settings));
  SSX_TRY(auto handler, http::compose(all.middleware, std::move(entry.handler)));
  SSX_TRY(auto fallback, http::compose(all.middleware, http::Handler(&http::answer_without_route)));
  const auto& methods = entry.methods;
  std::string name = methods.empty() ? "" : std::string(http::to_string(methods.front())) + ' ';
  name.append(all.host).append(entry.pattern);
  http::Route built{std::move(handler), all.limits(in_.options), std::move(name)};
  built.body_mode = all.body;
  if (!all.middleware.empty()) built.fallback = std::move(fallback);
  built.rewrite = std::move(entry.rewrite);
  SSX_TRY(auto route, register_->enter(std::move(built)));
  return Made{std::move(all.host), std::move(entry.methods), std::move(entry.pattern),
              std::move(route)};
}

std::shared_ptr<const http::Router> RouteBook::make_table(const std::vector<const Set*>& sets,
                                                          Problems& problems) const {
  auto router = std::make_unique<http::Router>(register_);
  for (const Set* const set : sets) {
    for (const Made& made : set->routes) {
      const auto added = router->add_shared(made.host, made.methods, made.pattern, made.route);
      if (added) continue;
      problems.add([&] {
        return describe(made.pattern, set->name) + ": " + added.error().message() +
               find_owner(sets, made);
      });
    }
  }
  return in_.disposal.share(std::move(router));
}

// Of the routes before it, the one that does not bear it in one table.
std::string RouteBook::find_owner(const std::vector<const Set*>& sets, const Made& of) const {
  for (const Set* const set : sets) {
    for (const Made& made : set->routes) {
      if (&made == &of) return "";
      http::Router both(register_);
      if (!both.add_shared(made.host, made.methods, made.pattern, made.route)) continue;
      if (!both.add_shared(of.host, of.methods, of.pattern, of.route))
        return fmt::format(", by {}", describe(made.pattern, set->name));
    }
  }
  return "";
}

}  // namespace ssx
