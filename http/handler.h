// A handler is a function from Request to Response, or to Task<Response> when the answer takes
// time. It cannot answer twice, or forget to.
//
// Thread: called on every worker at the same time: what it captures must bear that. A coroutine
//         resumes on the loop it started on
// Owner:  its Route
// Life:   that of the server, or until its routes are replaced (App::replace); longer than every
//         coroutine that it makes
// Bounds: a function holds up every connection of its worker while it runs (loop.stall_warn); a
//         coroutine has RouteLimits::handler_timeout, then it is destroyed and 503 answers
//
//   app.get("/", [](const Request&) { return "hello\n"; });
//   app.get("/slow", [](const Request& request) -> Task<Response> {
//     co_await net::sleep_for(1s);
//     co_return Response::text(std::string(request.path()));
//   });
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>

#include "http/request.h"
#include "http/response.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/coro/task.h"

namespace ssx::http {

namespace internal {

template <class F>
using Returned = std::invoke_result_t<const std::remove_cvref_t<F>&, const Request&>;

template <class T>
struct TaskOf : std::false_type {};
template <class T>
struct TaskOf<Task<T>> : std::bool_constant<std::constructible_from<Response, T>> {};

}  // namespace internal

/// Anything that a Response can be made of may be returned: text, a status, a Response. A handler
/// that returns nothing does not compile.
template <class F>
concept SyncHandler = std::invocable<const std::remove_cvref_t<F>&, const Request&> &&
                      std::constructible_from<Response, internal::Returned<F>>;

/// The same as a coroutine: Task<Response>, or a Task of whatever a Response can be made of.
template <class F>
concept AsyncHandler = std::invocable<const std::remove_cvref_t<F>&, const Request&> &&
                       internal::TaskOf<internal::Returned<F>>::value;

template <class F>
concept HandlerFunction = SyncHandler<F> || AsyncHandler<F>;

class Handler {
 public:
  using Sync = std::function<Response(const Request&)>;
  using Async = std::function<Task<Response>(const Request&)>;

  Handler() = default;
  Handler(std::nullptr_t) noexcept {}  // NOLINT: as with std::function
  template <HandlerFunction F>
    requires(!std::same_as<std::remove_cvref_t<F>, Handler>)
  Handler(F&& function)  // NOLINT: a callable becomes one silently, as with std::function
      : function_(wrap(std::forward<F>(function))) {}

  /// False when there is none: it must not be called.
  [[nodiscard]] explicit operator bool() const noexcept {
    return is_async() || std::get<Sync>(function_) != nullptr;
  }
  [[nodiscard]] bool is_async() const noexcept { return function_.index() == 1; }

  /// Requires a function, not a coroutine.
  [[nodiscard]] Response operator()(const Request& request) const {
    return std::get<Sync>(function_)(request);
  }
  /// Requires a coroutine. `request` outlives the Task.
  [[nodiscard]] Task<Response> start(const Request& request) const {
    return std::get<Async>(function_)(request);
  }

 private:
  template <class F>
  static std::variant<Sync, Async> wrap(F&& function) {
    using Result = internal::Returned<F>;
    if constexpr (std::same_as<Result, Response>) {
      return Sync(std::forward<F>(function));
    } else if constexpr (SyncHandler<F>) {
      return Sync([function = std::forward<F>(function)](const Request& request) -> Response {
        return Response(function(request));
      });
    } else if constexpr (std::same_as<Result, Task<Response>>) {
      return Async(std::forward<F>(function));
    } else {
      return Async(
          [function = std::forward<F>(function)](const Request& request) -> Task<Response> {
            co_return Response(co_await function(request));
          });
    }
  }

  std::variant<Sync, Async> function_;
};

template <HandlerFunction F>
Handler make_handler(F&& function) {
  return Handler(std::forward<F>(function));
}

}  // namespace ssx::http
