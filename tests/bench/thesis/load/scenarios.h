// The loads: what the peers of a round do.
//
// Thread: one
// Owner:  main
// Life:   prepare() .. is_ready() .. start() .. is_done() .. result()
// Bounds: Plan
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/thesis/load/peer.h"

namespace wsload {

struct Plan {
  std::string scenario = "file";
  std::uint16_t port = 0;
  std::string path = "/";
  std::uint64_t size = 64;     ///< bytes of a message; of one frame of a file
  std::uint64_t bytes = 0;     ///< of a file
  std::uint32_t messages = 5;  ///< arrivals: of each connection
  double seconds = 3;
  double rate = 300;  ///< arrivals: connections per second
  double pause = 5;   ///< arrivals: seconds between two messages
};

/// What came of a round.
struct Outcome {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t errors = 0;
  std::string error;              ///< the first one
  std::vector<float> latency_us;  ///< of a message, or of `depth` of them
  std::vector<float> opening_us;  ///< arrivals: until the handshake was answered
};

/// Nanoseconds of a clock that only goes forward.
std::int64_t now_ns() noexcept;

/// A scenario with a beginning and an end.
class Load : public Scenario {
 public:
  Load(int poller, const Plan& plan);

  /// Opens what must be open before the clock runs.
  virtual void prepare();
  [[nodiscard]] virtual bool is_ready() const noexcept { return open_ == peers_.size(); }
  virtual void start() = 0;
  /// Every now and then, once started.
  virtual void look(std::int64_t now) { (void)now; }
  /// The time is up: begin nothing new.
  void stop() noexcept { stopping_ = true; }
  /// Stopped, and nothing is under way.
  [[nodiscard]] virtual bool is_done() const noexcept = 0;
  /// A connection has ended that was to stay.
  [[nodiscard]] bool has_failed() const noexcept { return failed_; }
  [[nodiscard]] bool is_stopping() const noexcept { return stopping_; }
  [[nodiscard]] Outcome& outcome() noexcept { return outcome_; }

  void on_open(Peer& peer) override;
  void on_closed(Peer& peer, std::string_view why) override;

 protected:
  void note_error(std::string_view why);
  void connect(Peer& peer) { peer.connect(poller_, target_, *this); }

  const Plan plan_;
  Outcome outcome_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::size_t open_ = 0;

 private:
  void open_more();

  const int poller_;
  const Target target_;
  std::size_t begun_ = 0;
  bool stopping_ = false;
  bool failed_ = false;
};

/// Null: there is none of this name.
std::unique_ptr<Load> make_load(int poller, const Plan& plan);

}  // namespace wsload
