// A request that waits for the answer of a plugin.
//
// Thread: that on which the plugin was called: a loop, or a task thread
// Owner:  the stack of the call; for a handler that answers later, the frame of a coroutine
// Life:   from the call of the handler until its answer is on its way
// Bounds: one answer; further ones are counted and dropped
#pragma once

#include <cstdint>
#include <string_view>

#include "http/request.h"
#include "http/response.h"
#include "ssxrver/metrics/counter.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/instance.h"
#include "ssxrver/plugin/host/leases.h"
#include "ssxrver/plugin/host/pending.h"

struct ssxrver_exchange {
  enum class State : std::uint8_t { kOpen, kAnswered, kFailed };

  ssx::plugins::Instance& instance;
  const std::string& route;  ///< its name, for the log
  ssx::http::Response& response;
  State state = State::kOpen;
  ssx::plugins::Pending* pending = nullptr;  ///< null: the answer comes inside of the call
};

namespace ssx::plugins {

/// http.answer() and http.fail().
void answer(ssxrver_exchange& exchange, const ssxrver_response& given) noexcept;
void fail(ssxrver_exchange& exchange, std::string_view sentence) noexcept;

/// The handler has returned, and there is nothing more to come: the answer is what it said, or 500.
void conclude(ssxrver_exchange& exchange, std::int32_t status) noexcept;

/// Of a handler that may answer later.
class LaterExchange {
 public:
  LaterExchange(Instance& instance, const std::string& route, const http::Request& request,
                http::Response& response) noexcept;
  ~LaterExchange();
  LaterExchange(const LaterExchange&) = delete;
  LaterExchange& operator=(const LaterExchange&) = delete;

  [[nodiscard]] ssxrver_exchange& exchange() noexcept { return exchange_; }
  [[nodiscard]] Pending& pending() noexcept { return pending_; }

  /// A piece of the body that the plugin waits for; null when it waits for none.
  ssxrver_wait* reading = nullptr;

 private:
  Lease lease_;
  const http::Request& request_;
  metrics::Gauge& count_;
  Pending pending_;
  ssxrver_exchange exchange_;
};

}  // namespace ssx::plugins
