#include "ssxrver/app/task_handler.h"

#include <stop_token>
#include <utility>

#include "http/detached_request.h"
#include "http/fault.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/net/task_pool.h"

namespace ssx {

http::Handler run_on_tasks(const std::unique_ptr<net::TaskPool>& pool, net::Disposal& disposal,
                           http::Handler handler) {
  SSX_ASSERT(!handler.is_async());
  const std::shared_ptr<const http::Handler> shared =
      disposal.share(std::make_unique<http::Handler>(std::move(handler)));
  return http::Handler([&pool, shared](const http::Request& request) -> Task<http::Response> {
    auto copy = http::DetachedRequest::copy(request);
    if (!copy) co_return http::answer_to_error(request, copy.error());
    auto job = pool->run([shared, copy = *std::move(copy)](std::stop_token stop) {
      copy->set_stop_token(std::move(stop));
      return (*shared)(copy->request());
    });
    auto answer = co_await job;
    if (!answer) co_return http::answer_to_error(request, answer.error());
    co_return *std::move(answer);
  });
}

}  // namespace ssx
