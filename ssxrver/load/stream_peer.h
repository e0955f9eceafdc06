// A peer whose connection is a stream of bytes.
//
// Thread: its loop
// Owner:  a Load
// Life:   that of Peer
// Bounds: that of Peer
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ssxrver/base/result.h"
#include "ssxrver/load/load_plan.h"
#include "ssxrver/load/peer.h"
#include "ssxrver/net/channel.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::load {

class StreamPeer : public Peer, private net::Channel {
 public:
  /// The bytes of a batch, one part behind the other.
  using Parts = std::span<const std::string_view>;

  ~StreamPeer() override;

  void open(const net::SocketAddress* source) final;
  void begin(TimePoint since, TimePoint now, const net::SocketAddress* source) final;
  void close() noexcept final;
  [[nodiscard]] bool stands() const noexcept final { return state_ == State::kOpen; }

 protected:
  /// `room` has kRoom bytes.
  StreamPeer(net::EventLoop& loop, const LoadPlan& plan, std::string& room, Events& events)
      : Peer(events), Channel(-1), loop_(loop), plan_(plan), room_(room) {}

  /// What a new connection begins with; empty: it is open at once. Else opened() says when.
  [[nodiscard]] virtual Parts greeting() = 0;
  /// The requests of begin(); they lie there until they are sent.
  [[nodiscard]] virtual Parts batch() = 0;
  /// What has come. False: it was closed on the way.
  virtual bool take(std::string_view bytes, TimePoint now) = 0;
  /// The server has closed its side.
  virtual void on_end(TimePoint now) = 0;
  /// Everything was sent.
  virtual void on_sent(TimePoint now) = 0;

  void opened();
  /// One answer is complete. False: the connection is not to be used again, and was closed.
  bool end_answer(bool is_good, bool stays, TimePoint now);
  /// More has come than was asked for: what is asked next cannot have its answer here.
  void fail_unasked(TimePoint now);
  void send_batch();
  /// Tells the server that nothing more comes. False: that failed, and it is closed.
  bool half_close();
  /// To be sent behind the part that is under way.
  void send_also(std::string_view bytes);
  [[nodiscard]] bool is_greeting() const noexcept { return state_ == State::kGreeting; }
  [[nodiscard]] bool has_unsent() const noexcept {
    return !out_.empty() || !also_.empty() || !parts_.empty();
  }

 private:
  enum class State : std::uint8_t { kClosed, kConnecting, kGreeting, kOpen };

  void on_ready(net::Readiness ready) final;
  [[nodiscard]] const char* label() const noexcept final { return "peer"; }
  [[nodiscard]] Result<void> connect(const net::SocketAddress* source);
  void on_connected();
  void take_next_part();
  void send();
  void drop_unsent() noexcept;
  void end_broken();
  /// False: nothing has come, or it was reset.
  bool receive();

  net::EventLoop& loop_;
  const LoadPlan& plan_;
  std::string& room_;
  sys::UniqueFd socket_;
  State state_ = State::kClosed;
  std::string_view out_;  ///< unsent, of greeting(), a part, or sending_
  Parts parts_;           ///< behind it
  std::string also_;      ///< before them
  std::string sending_;
  bool is_broken_ = false;    ///< nothing more can be sent
  bool is_taking_ = false;    ///< of what receive() has read
  bool became_free_ = false;  ///< meanwhile
};

}  // namespace ssx::load
