// What surrounds handlers: looks at the request first, at the answer last, or decides alone.
//
// Thread: called on every worker at the same time, like the handlers it surrounds
// Owner:  the handler that compose() makes
// Life:   that of the server
// Bounds: one call more per middleware; one coroutine frame more around a coroutine
//
// Three ways to write one:
//
//   Middleware([](const Request& request, const Next& next) -> Response {
//     Response answer = next(request);                       // a function around functions
//     answer.set("X-Worker", std::to_string(request.worker()));
//     return answer;
//   });
//   Middleware([](const Request& request, const AsyncNext& next) -> Task<Response> {
//     if (!co_await is_allowed(request)) co_return Status::kForbidden;
//     co_return co_await next(request);                      // a coroutine around anything
//   });
//   Middleware::hooks(before, after);                        // around anything, and no coroutine
//
// What a handler throws is a 500 by the time that its middleware sees it.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "http/handler.h"
#include "ssxrver/base/result.h"
#include "ssxrver/coro/task.h"

namespace ssx::http {

/// The rest of the chain, when it is made of functions.
class Next {
 public:
  explicit Next(const Handler& inner) noexcept : inner_(inner) {}
  Response operator()(const Request& request) const;

 private:
  const Handler& inner_;
};

/// The rest of the chain, whatever it is made of: co_await next(request).
class AsyncNext {
 public:
  explicit AsyncNext(const Handler& inner) noexcept : inner_(inner) {}
  Task<Response> operator()(const Request& request) const;

 private:
  const Handler& inner_;
};

class Middleware {
 public:
  /// Nothing: go on. A response: that is the answer, and what is inside is not asked.
  using Before = std::function<std::optional<Response>(const Request&)>;
  /// Sees the answer from inside, and may change it. Not called when `before` has answered.
  using After = std::function<void(const Request&, Response&)>;
  using Around = std::function<Response(const Request&, const Next&)>;
  using AsyncAround = std::function<Task<Response>(const Request&, const AsyncNext&)>;

  template <class F>
    requires std::is_invocable_r_v<Response, const F&, const Request&, const Next&>
  explicit Middleware(F around) : kind_(Around(std::move(around))) {}
  template <class F>
    requires std::same_as<std::invoke_result_t<const F&, const Request&, const AsyncNext&>,
                          Task<Response>>
  explicit Middleware(F around) : kind_(AsyncAround(std::move(around))) {}
  /// Either may be null.
  [[nodiscard]] static Middleware hooks(Before before, After after) {
    return Middleware(Hooks{std::move(before), std::move(after)});
  }

  /// kUnsupported: a function cannot surround a coroutine.
  [[nodiscard]] Result<Handler> wrap(Handler inner) const;

 private:
  struct Hooks {
    Before before;
    After after;
  };
  explicit Middleware(Hooks hooks) : kind_(std::move(hooks)) {}

  std::variant<Hooks, Around, AsyncAround> kind_;
};

/// The first of the chain is the outermost. An error as of wrap().
[[nodiscard]] Result<Handler> compose(const std::vector<Middleware>& chain, Handler inner);

}  // namespace ssx::http
