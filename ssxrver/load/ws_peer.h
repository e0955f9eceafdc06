// A connection of a load of WebSockets (RFC 6455).
//
// Thread: its loop
// Owner:  a PeerLoad
// Life:   that of Peer
// Bounds: the head of the handshake; payloads are counted and not kept
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/client/response_head.h"
#include "http/client/response_parser.h"
#include "http/options.h"
#include "ssxrver/load/stream_peer.h"
#include "ssxrver/load/ws_plan.h"
#include "websocket/frame.h"

namespace ssx::load {

/// What all peers of a thread use in turn.
struct WsScratch {
  explicit WsScratch(const WsPlan& plan);
  const http::ParserLimits limits;
  http::ResponseParser parser{limits};
  http::ResponseHead head;
  std::string room = std::string(Peer::kRoom, '\0');
  std::string messages;                 ///< the plan's, `depth` times, when each is one frame
  std::vector<std::string_view> batch;  ///< all of it
  std::string_view handshake;
};

/// `plan` outlives the peers.
[[nodiscard]] MakePeers make_ws_peers(const WsPlan& plan);

class WsPeer final : public StreamPeer {
 public:
  WsPeer(net::EventLoop& loop, const WsPlan& plan, WsScratch& scratch, Events& events)
      : StreamPeer(loop, plan, scratch.room, events), plan_(plan), scratch_(scratch) {}

  /// It is closed, or what it was to send has not gone yet.
  [[nodiscard]] bool is_busy() const noexcept { return !stands() || has_unsent(); }
  /// Sends the message once, to all. Requires that it is not busy.
  void publish() { send_batch(); }
  /// It is to be sent what somebody has published at `now`.
  void expect_message(TimePoint now) { expect(1, now, now); }

 private:
  Parts greeting() override;
  Parts batch() override { return plan_.is_idle ? Parts() : Parts(scratch_.batch); }
  bool take(std::string_view bytes, TimePoint now) override;
  void on_end(TimePoint now) override;
  void on_sent(TimePoint) override {}

  bool take_answer(std::string_view& bytes);
  bool take_header(std::string_view& bytes, TimePoint now);
  bool take_payload(std::string_view& bytes, TimePoint now);
  bool end_frame(TimePoint now);
  bool end_message(TimePoint now);

  const WsPlan& plan_;
  WsScratch& scratch_;
  bool has_shaken_hands_ = false;
  bool is_closing_ = false;  ///< our close frame has gone
  bool is_in_payload_ = false;
  websocket::FrameHeader header_;
  std::uint64_t left_ = 0;     ///< of the frame's payload
  std::uint64_t message_ = 0;  ///< bytes of it so far
  std::string held_;           ///< of a head, or a header, as far as it has come
  std::string control_;        ///< the payload of a control frame
};

}  // namespace ssx::load
