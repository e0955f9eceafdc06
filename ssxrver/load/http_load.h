// The connections of one thread of a load of HTTP.
//
// Thread: its loop
// Owner:  the Crew
// Life:   that of Load
// Bounds: plan.connections / plan.threads connections; kOpeningMax of them at once on their way
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ssxrver/load/http_peer.h"
#include "ssxrver/load/http_plan.h"
#include "ssxrver/load/load.h"
#include "ssxrver/load/pace.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::load {

class HttpLoad final : public Load, private HttpPeer::Events {
 public:
  static constexpr std::uint32_t kOpeningMax = 256;  ///< below any backlog
  /// Who could not connect tries again then.
  static constexpr Duration kRest = std::chrono::milliseconds(100);

  /// The `index`th of plan.threads.
  HttpLoad(net::EventLoop& loop, const HttpPlan& plan, std::uint32_t index);
  ~HttpLoad() override;

  void open() override;
  void start() override;
  void measure() override;
  void finish() override;

 private:
  enum class Phase : std::uint8_t { kOpening, kRunning, kFinished };

  void on_open(HttpPeer& peer) override;
  void on_answer(HttpPeer& peer, std::uint16_t status, TimePoint now) override;
  void on_bytes(std::uint64_t count) override { tally_.bytes_in += count; }
  void on_free(HttpPeer& peer, TimePoint now) override;
  void on_failed(HttpPeer& peer, Failure failure, std::uint32_t lost) override;

  void open_more();
  void note_opened();
  void begin_due();
  void wait_for_due();
  void look_at_times();
  [[nodiscard]] const net::SocketAddress* next_source() noexcept;

  net::EventLoop& loop_;
  const HttpPlan& plan_;
  const std::uint32_t index_;
  HttpScratch scratch_;
  std::vector<std::unique_ptr<HttpPeer>> peers_;
  std::vector<HttpPeer*> idle_;  ///< at a constant rate, those that wait for a request
  Pace pace_;
  Phase phase_ = Phase::kOpening;
  std::uint32_t begun_opening_ = 0;
  std::uint32_t opened_ = 0;  ///< or refused
  std::uint32_t source_ = 0;
  bool is_waiting_ = false;
};

}  // namespace ssx::load
