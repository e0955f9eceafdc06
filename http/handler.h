// A handler is a function from Request to Response. It cannot answer twice, or forget to.
//
// Thread: called on every worker at the same time: what it captures must bear that
// Owner:  the Router
// Life:   that of the server
// Bounds: it runs on the loop and holds up every connection of its worker: see loop.stall_warn
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "http/request.h"
#include "http/response.h"

namespace ssx::http {

/// Anything that a Response can be made of may be returned: text, a status, a Response. A handler
/// that returns nothing does not compile.
template <class F>
concept SyncHandler =
    std::invocable<const std::remove_cvref_t<F>&, const Request&> &&
    std::constructible_from<Response,
                            std::invoke_result_t<const std::remove_cvref_t<F>&, const Request&>>;

using Handler = std::function<Response(const Request&)>;

template <SyncHandler F>
Handler make_handler(F&& function) {
  return [function = std::forward<F>(function)](const Request& request) -> Response {
    return Response(function(request));
  };
}

}  // namespace ssx::http
