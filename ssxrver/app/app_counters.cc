// App::count_into(), apart from the rest of App: few programs call it, and the names take room.
#include <memory>
#include <vector>

#include "http/counter_fields.h"
#include "http/service.h"
#include "ssxrver/app/app.h"
#include "ssxrver/metrics/registry.h"
#include "ssxrver/net/counter_fields.h"
#include "ssxrver/net/task_pool.h"
#include "ssxrver/net/tcp_server.h"
#include "ssxrver/net/worker.h"
#include "websocket/counter_fields.h"

namespace ssx {

App& App::count_into(metrics::Registry& registry) {
  attach_counters_ = [this, &registry] {
    auto counted = std::make_shared<std::vector<metrics::Registry::Registration>>();
    const auto attach = [&]<class Block>(const auto& fields, const Block& block) {
      counted->push_back(registry.attach<Block>(fields, block));
    };
    attach(net::kAcceptFields, server_->accept_counters());
    for (const auto& worker : server_->workers()) {
      attach(net::kAcceptFields, worker->accept_counters());
      attach(net::kConnectionFields, worker->counters());
      attach(http::counter_fields(), service_->worker(worker->index()).counters);
      attach(websocket::counter_fields(), websockets_.worker(worker->index()).counters);
    }
    attach(net::kTaskFields, tasks_->counters());
    return counted;
  };
  return *this;
}

}  // namespace ssx
