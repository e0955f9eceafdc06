// One connection of a load of HTTP: sends requests that lie ready, and tells of each answer.
//
// Thread: its loop
// Owner:  an HttpLoad
// Life:   begin() .. on_free() or on_failed(), any number of times
// Bounds: an answer's head of ParserLimits::head_max bytes; bodies are read past and not kept
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/chunked_decoder.h"
#include "http/client/response_head.h"
#include "http/client/response_parser.h"
#include "http/options.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/load/http_plan.h"
#include "ssxrver/load/tally.h"
#include "ssxrver/net/channel.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::load {

/// What all peers of a thread use in turn.
struct HttpScratch {
  static constexpr std::size_t kRoom = 256 << 10;
  http::ParserLimits limits = {.field_line_max = 64 << 10, .head_max = 64 << 10};
  http::ResponseParser parser{limits};
  http::ResponseHead head;
  std::string room = std::string(kRoom, '\0');
  std::string batch;  ///< the plan's request, `depth` times
};

class HttpPeer final : private net::Channel {
 public:
  class Events {
   public:
    virtual void on_open(HttpPeer& peer) = 0;
    virtual void on_answer(HttpPeer& peer, std::uint16_t status, TimePoint now) = 0;
    virtual void on_bytes(std::uint64_t count) = 0;
    /// Every request of begin() has its answer.
    virtual void on_free(HttpPeer& peer, TimePoint now) = 0;
    /// `lost` requests have none; 0: it was opened for none. It is closed.
    virtual void on_failed(HttpPeer& peer, Failure failure, std::uint32_t lost) = 0;

   protected:
    ~Events() = default;
  };

  HttpPeer(net::EventLoop& loop, const HttpPlan& plan, HttpScratch& scratch, Events& events)
      : Channel(-1),
        loop_(loop),
        plan_(plan),
        scratch_(scratch),
        events_(events),
        chunks_(scratch.limits) {}
  ~HttpPeer() { close(); }

  /// Connects from that address: an error if it cannot even begin. on_open() follows, or
  /// on_failed().
  void open(const net::SocketAddress* source);
  /// Sends the requests; they have begun at `since`. Connects first where it is not open.
  void begin(TimePoint since, TimePoint now, const net::SocketAddress* source);
  /// Nothing more is told.
  void close() noexcept;

  [[nodiscard]] bool is_open() const noexcept { return state_ == State::kOpen; }
  /// Requests without an answer.
  [[nodiscard]] std::uint32_t outstanding() const noexcept { return outstanding_; }
  /// As begin() was told.
  [[nodiscard]] TimePoint since() const noexcept { return since_; }
  /// When it was called.
  [[nodiscard]] TimePoint begun() const noexcept { return begun_; }
  /// What was lost by a time-out.
  void give_up() { fail(Failure::kTimeout); }

 private:
  enum class State : std::uint8_t { kClosed, kConnecting, kOpen };
  enum class Part : std::uint8_t { kHead, kBody, kChunks, kToEnd };

  void on_ready(net::Readiness ready) override;
  [[nodiscard]] const char* label() const noexcept override { return "http peer"; }

  [[nodiscard]] Result<void> connect(const net::SocketAddress* source);
  void on_connected();
  void send();
  void receive();
  void on_end(TimePoint now);
  /// False: it was closed, or told of a failure.
  bool take(std::string_view bytes, TimePoint now);
  bool take_head(std::string_view& bytes, TimePoint now);
  bool take_body(std::string_view& bytes, TimePoint now);
  bool take_chunks(std::string_view& bytes, TimePoint now);
  /// False: the connection is not to be used again, and was closed.
  bool end_answer(TimePoint now);
  void fail(Failure failure);

  net::EventLoop& loop_;
  const HttpPlan& plan_;
  HttpScratch& scratch_;
  Events& events_;
  sys::UniqueFd socket_;
  State state_ = State::kClosed;
  Part part_ = Part::kHead;
  bool keeps_alive_ = false;
  std::uint16_t status_ = 0;
  std::uint32_t outstanding_ = 0;
  std::uint64_t body_left_ = 0;
  TimePoint since_;
  TimePoint begun_;
  std::string_view out_;  ///< of scratch_.batch, unsent
  std::string held_;      ///< of a head, as far as it has come
  http::ChunkedDecoder chunks_;
};

}  // namespace ssx::load
