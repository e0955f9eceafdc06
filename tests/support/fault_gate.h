// A proxy between a client and a server that does to their bytes what a bad network does.
//
//   FaultGate gate(server_port);
//   gate.set({.to_server = {.piece = 1}, .to_client = {.cut_at = 100}});
//   auto client = RawClient::tcp(gate.port());
//
// It makes its own system calls, so that it neither counts nor fails with those under test.
//
// Thread: set() and the observations any thread; the bytes pass on a thread of its own
// Owner:  the test
// Life:   connections end with the object (RST)
// Bounds: kWaitingMax bytes wait per direction, then their sender does
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ssxrver/base/mutex.h"
#include "ssxrver/base/thread.h"

namespace ssx::test {

class FaultGate {
 public:
  static constexpr std::size_t kWaitingMax = 256 << 10;
  /// Bytes that merge leaves alone for so long pass all the same: who sent them waits for an
  /// answer.
  static constexpr std::chrono::milliseconds kMergeQuiet{20};

  enum class Cut : std::uint8_t {
    kEnd,      ///< FIN; the rest of this direction is dropped
    kReset,    ///< RST to both sides
    kSilence,  ///< the rest is dropped, and nobody is told
  };

  /// What happens to the bytes of one direction.
  struct Faults {
    std::size_t piece = 0;                         ///< no write is longer; 0 = as they come
    std::chrono::milliseconds delay{0};            ///< each byte arrives so much later
    std::size_t bytes_per_second = 0;              ///< 0 = no limit
    std::size_t merge = 0;                         ///< fewer bytes wait for more
    std::optional<std::uint64_t> corrupt_at = {};  ///< this byte (from 0) is inverted
    std::optional<std::uint64_t> cut_at = {};      ///< so many bytes pass
    Cut cut = Cut::kEnd;
  };
  struct Plan {
    Faults to_server = {};
    Faults to_client = {};
  };

  /// Connects to this port of the loopback for each client of its own.
  explicit FaultGate(std::uint16_t server_port);
  ~FaultGate();
  FaultGate(const FaultGate&) = delete;
  FaultGate& operator=(const FaultGate&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// For clients that connect from now on.
  void set(const Plan& plan);
  /// Connections that are still there.
  [[nodiscard]] std::size_t open() const noexcept { return open_; }
  /// Bytes that have passed to the server, and to clients, since the gate was made.
  [[nodiscard]] std::uint64_t passed_to_server() const noexcept { return passed_[0]; }
  [[nodiscard]] std::uint64_t passed_to_client() const noexcept { return passed_[1]; }

 private:
  class Way;
  struct Pair;
  using TimePoint = std::chrono::steady_clock::time_point;

  void run();
  void accept_one();
  /// Moves what may move; when there is something to do again without input.
  TimePoint serve(Pair& pair, TimePoint now);

  const std::uint16_t server_port_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int wake_ = -1;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> open_ = 0;
  std::atomic<std::uint64_t> passed_[2] = {0, 0};
  Mutex mutex_;
  Plan plan_ SSX_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Pair>> pairs_;
  Thread thread_;
};

}  // namespace ssx::test
