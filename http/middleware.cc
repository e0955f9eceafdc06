#include "http/middleware.h"

#include <memory>

#include "http/fault.h"

namespace ssx::http {
namespace {

Response call(const Handler& inner, const Request& request) {
  try {
    return inner(request);
  } catch (...) {
    return answer_to_exception(request);
  }
}

/// One answer from its making to its return: it is not moved.
Response call_and_tell(const Handler& inner, const Middleware::After& after,
                       const Request& request) {
  Response answer = call(inner, request);
  if (after) after(request, answer);
  return answer;
}

Task<Response> call_async(const Handler& inner, const Request& request) {
  if (!inner.is_async()) co_return call(inner, request);
  try {
    co_return co_await inner.start(request);
  } catch (...) {
    co_return answer_to_exception(request);
  }
}

}  // namespace

Response Next::operator()(const Request& request) const { return call(inner_, request); }

Task<Response> AsyncNext::operator()(const Request& request) const {
  return call_async(inner_, request);
}

// The closures are shared and not copied: they outlive the coroutines they make, and what is
// captured is there once, however often a handler is copied.
Result<Handler> Middleware::wrap(Handler handler) const {
  const auto inner = std::make_shared<const Handler>(std::move(handler));
  if (const auto* around = std::get_if<AsyncAround>(&kind_)) {
    const auto outer = std::make_shared<const AsyncAround>(*around);
    const auto next = std::make_shared<const AsyncNext>(*inner);
    return Handler([inner, outer, next](const Request& request) -> Task<Response> {
      return (*outer)(request, *next);
    });
  }
  if (const auto* around = std::get_if<Around>(&kind_)) {
    if (inner->is_async())
      return fail(ssx::Errc::kUnsupported, "a function as middleware around a coroutine");
    return Handler([inner, around = *around](const Request& request) -> Response {
      return around(request, Next(*inner));
    });
  }
  const auto hooks = std::make_shared<const Hooks>(std::get<Hooks>(kind_));
  if (inner->is_async()) {
    return Handler([inner, hooks](const Request& request) -> Task<Response> {
      if (hooks->before) {
        if (auto answer = hooks->before(request)) co_return *std::move(answer);
      }
      Response answer = co_await call_async(*inner, request);
      if (hooks->after) hooks->after(request, answer);
      co_return answer;
    });
  }
  return Handler([inner, hooks](const Request& request) -> Response {
    if (hooks->before) {
      if (auto answer = hooks->before(request)) return *std::move(answer);
    }
    return call_and_tell(*inner, hooks->after, request);
  });
}

Result<Handler> compose(const std::vector<Middleware>& chain, Handler inner) {
  for (auto outer = chain.rbegin(); outer != chain.rend(); ++outer) {
    SSX_TRY(inner, outer->wrap(std::move(inner)));
  }
  return inner;
}

}  // namespace ssx::http
