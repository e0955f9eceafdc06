// One WebSocket of the load: connects, shakes hands, sends frames that lie ready, counts what
// comes.
//
// Thread: that of the load, which has one
// Owner:  the scenario
// Life:   connect() .. closed, then perhaps connect() again
// Bounds: one frame at a time; payloads that come are counted, and kept only as far as kKept bytes
//
// It costs the least it can, so that the server is what is measured: frames are encoded and masked
// before the clock runs, and what comes is looked at as far as its headers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wsload {

class Peer;

/// What a scenario does about its peers.
class Scenario {
 public:
  virtual ~Scenario() = default;
  virtual void on_open(Peer& peer) = 0;
  virtual void on_message(Peer& peer, std::uint64_t size) = 0;
  /// What was to be sent is with the system.
  virtual void on_sent(Peer&) {}
  /// It has ended: as was wanted, or `why` is not empty.
  virtual void on_closed(Peer& peer, std::string_view why) = 0;
};

struct Target {
  std::uint16_t port = 0;
  std::string handshake;  ///< the request
};

class Peer {
 public:
  static constexpr std::size_t kKept = 32;

  Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer();

  /// Begins; on_open or on_closed follows.
  void connect(int poller, const Target& target, Scenario& scenario);
  /// `frames` must stay until on_sent; requires that nothing is being sent.
  void send(std::string_view frames);
  /// Ends it when the server does.
  void expect_end() noexcept { ending_ = true; }
  /// Ends it without a word.
  void drop() noexcept;

  void on_ready(std::uint32_t events);

  [[nodiscard]] bool is_open() const noexcept { return state_ == State::kOpen; }
  [[nodiscard]] bool is_sending() const noexcept { return !out_.empty(); }
  /// The beginning of the latest message.
  [[nodiscard]] std::string_view text() const noexcept { return {kept_.data(), kept_size_}; }

  std::int64_t since = 0;   ///< the scenario's: when it last sent, in ns
  std::uint32_t count = 0;  ///< the scenario's: messages to go

 private:
  enum class State : std::uint8_t { kNone, kConnecting, kShaking, kOpen };

  void watch(int operation, std::uint32_t events);
  void flush();
  void send_out();
  void receive();
  void take(std::string_view bytes);
  [[nodiscard]] std::string_view take_answer(std::string_view bytes);
  [[nodiscard]] std::string_view take_header(std::string_view bytes);
  void end(std::string_view why);

  Scenario* scenario_ = nullptr;
  int poller_ = -1;
  int fd_ = -1;
  State state_ = State::kNone;
  bool ending_ = false;
  bool writing_ = false;  ///< EPOLLOUT is wanted
  bool flushing_ = false;
  bool fin_ = false;
  std::uint8_t opcode_ = 0;
  std::uint8_t header_size_ = 0;
  std::uint8_t kept_size_ = 0;
  std::array<char, 10> header_{};
  std::array<char, kKept> kept_{};
  std::uint64_t frame_left_ = 0;
  std::uint64_t message_ = 0;
  std::string_view out_;
  std::string answer_;  ///< to the handshake, as far as it has come
};

/// A client's frame, masked.
std::string make_frame(std::uint8_t opcode, bool fin, std::string_view payload);
/// The request of a handshake.
std::string make_handshake(std::uint16_t port, std::string_view path);

inline constexpr std::uint8_t kContinuation = 0;
inline constexpr std::uint8_t kText = 1;
inline constexpr std::uint8_t kBinary = 2;
inline constexpr std::uint8_t kClose = 8;

}  // namespace wsload
