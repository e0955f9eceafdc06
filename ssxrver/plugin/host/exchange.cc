#include "ssxrver/plugin/host/exchange.h"

#include "ssxrver/plugin/host/given_response.h"
#include "ssxrver/plugin/host/wait.h"

namespace ssx::plugins {
namespace {

using State = ssxrver_exchange::State;

/// What cannot be an end of it, or null.
const char* find_misuse(const ssxrver_exchange& exchange) noexcept {
  if (exchange.pending != nullptr && !exchange.pending->is_on_loop())
    return "it answered on another thread";
  return exchange.state == State::kOpen ? nullptr : "it answered a second time";
}

}  // namespace

void answer(ssxrver_exchange& exchange, const ssxrver_response& given) noexcept {
  GivenResponse response(exchange.instance, exchange.route, given);
  if (const char* const misuse = find_misuse(exchange)) [[unlikely]]
    return exchange.instance.misuse(exchange.route, misuse);
  exchange.state = State::kAnswered;
  response.put_into(exchange.response);
  if (exchange.pending != nullptr) exchange.pending->end();
}

void fail(ssxrver_exchange& exchange, std::string_view sentence) noexcept {
  if (const char* const misuse = find_misuse(exchange))
    return exchange.instance.misuse(exchange.route, misuse);
  exchange.state = State::kFailed;
  exchange.instance.failed(exchange.route, sentence);
  exchange.response = http::Status::kInternalServerError;
  if (exchange.pending != nullptr) exchange.pending->end();
}

void conclude(ssxrver_exchange& exchange, std::int32_t status) noexcept {
  const bool is_well = status == SSXRVER_OK || status == SSXRVER_PENDING;
  if (exchange.state == State::kFailed) return;
  if (exchange.state == State::kAnswered && is_well) return;
  if (is_well) {
    exchange.instance.misuse(exchange.route, "it gave no answer");
  } else {
    exchange.instance.failed(exchange.route, to_words(status));
  }
  exchange.state = State::kFailed;
  exchange.response = http::Status::kInternalServerError;
}

LaterExchange::LaterExchange(Instance& instance, const std::string& route,
                             const http::Request& request, http::Response& response) noexcept
    : lease_(instance.leases(), LeaseKind::kRequests),
      request_(request),
      count_(instance.counters().of_worker(request.worker()).pending),
      pending_(instance, route),
      exchange_{instance, route, response, State::kOpen, &pending_} {
  request.set_runner(this);
  count_.add();
}

LaterExchange::~LaterExchange() {
  request_.set_runner(nullptr);
  count_.sub();
  if (exchange_.state == State::kOpen) exchange_.state = State::kFailed;  // too late from here on
  pending_.cancel();
  // Of a plugin that has not taken it back: what it would be told of has gone.
  if (reading != nullptr) reading->cancel();
}

}  // namespace ssx::plugins
