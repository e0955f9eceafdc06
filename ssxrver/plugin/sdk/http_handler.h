// A function or a coroutine as a handler of the border's.
//
// Thread: called on every worker at the same time
// Owner:  the host, until it releases it
// Life:   that of the route
// Bounds: -
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ssxrver/plugin/sdk/request.h"
#include "ssxrver/plugin/sdk/response.h"

namespace ssx::plugin {

namespace internal {

template <class F>
using Returned = std::invoke_result_t<const std::remove_cvref_t<F>&, const Request&>;

template <class T>
struct TaskOf : std::false_type {};
template <class T>
struct TaskOf<Task<T>> : std::bool_constant<std::constructible_from<Response, T>> {
  using Value = T;
};

/// What a Response takes for text that outlives the call.
template <class T>
inline constexpr bool kIsLiteral =
    std::same_as<T, const char*> || std::same_as<std::remove_cvref_t<T>, std::string_view>;

/// Calls `fn`, and tells the host what it threw. False: it threw.
template <class F>
bool guard(ssxrver_exchange* exchange, F&& fn) noexcept {
  try {
    std::forward<F>(fn)();
    return true;
  } catch (const std::exception& thrown) {
    tables.http->fail(exchange, to_text(thrown.what()));
  } catch (...) {
    tables.http->fail(exchange, to_text("something that is no std::exception was thrown"));
  }
  return false;
}

/// The coroutine of one request.
template <class T>
class PendingAnswer final : private Continuation {
 public:
  PendingAnswer(const ssxrver_request* request, ssxrver_exchange* exchange) noexcept
      : Continuation(&PendingAnswer::end), request_(request), exchange_(exchange) {}
  PendingAnswer(const PendingAnswer&) = delete;
  PendingAnswer& operator=(const PendingAnswer&) = delete;

  template <class F>
  static std::int32_t begin(const F& fn, const ssxrver_request* request, ssxrver_exchange* exchange,
                            ssxrver_operation* started) noexcept {
    auto pending = std::make_unique<PendingAnswer>(request, exchange);
    bool is_done = false;
    const bool well = guard(exchange, [&] {
      pending->task_ = fn(pending->request_);
      is_done = pending->task_.start(*pending);
    });
    if (!well) return SSXRVER_ERROR;
    if (is_done) return pending->answer();
    *started = {&PendingAnswer::cancel, pending.release()};
    return SSXRVER_PENDING;
  }

 private:
  std::int32_t answer() noexcept {
    const bool well = guard(exchange_, [this] { Response(task_.result()).send(exchange_); });
    return well ? SSXRVER_OK : SSXRVER_ERROR;
  }
  static void cancel(void* state) { delete static_cast<PendingAnswer*>(state); }
  static void end(Continuation& self) noexcept {
    const std::unique_ptr<PendingAnswer> pending(&static_cast<PendingAnswer&>(self));
    pending->answer();
  }

  Request request_;
  ssxrver_exchange* exchange_;
  Task<T> task_;
};

}  // namespace internal

/// Anything that a Response can be made of may be returned. A handler that returns nothing does not
/// compile.
template <class F>
concept SyncHandler = std::invocable<const std::remove_cvref_t<F>&, const Request&> &&
                      std::constructible_from<Response, internal::Returned<F>>;
/// The same as a coroutine.
template <class F>
concept AsyncHandler = std::invocable<const std::remove_cvref_t<F>&, const Request&> &&
                       internal::TaskOf<internal::Returned<F>>::value;
template <class F>
concept HandlerFunction = SyncHandler<F> || AsyncHandler<F>;

namespace internal {

template <HandlerFunction F>
[[nodiscard]] ssxrver_handler make_http_handler(F&& function, std::uint32_t flags) {
  using Function = std::decay_t<F>;  // a function becomes a pointer to it
  ssxrver_handler handler{};
  handler.size = sizeof(handler);
  handler.flags = flags | (AsyncHandler<F> ? SSXRVER_HANDLER_LATER : 0U);
  handler.handle = [](void* state, const ssxrver_request* request, ssxrver_exchange* exchange,
                      ssxrver_operation* started) -> std::int32_t {
    const Function& fn = *static_cast<const Function*>(state);
    if constexpr (AsyncHandler<F>) {
      using Value = typename TaskOf<Returned<F>>::Value;
      return PendingAnswer<Value>::begin(fn, request, exchange, started);
    } else {
      const bool well = guard(exchange, [&] {
        const Request seen(request);
        if constexpr (kIsLiteral<Returned<F>>) {
          Response::send_literal(fn(seen), exchange);
        } else {
          Response(fn(seen)).send(exchange);
        }
      });
      return well ? SSXRVER_OK : SSXRVER_ERROR;
    }
  };
  handler.release = [](void* state) { delete static_cast<Function*>(state); };
  handler.state = std::make_unique<Function>(std::forward<F>(function)).release();
  return handler;
}

}  // namespace internal
}  // namespace ssx::plugin
