// A connection of a load of HTTP.
//
// Thread: its loop
// Owner:  a PeerLoad
// Life:   that of Peer
// Bounds: an answer's head of ParserLimits::head_max bytes; bodies are read past and not kept
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/chunked_decoder.h"
#include "http/client/response_head.h"
#include "http/client/response_parser.h"
#include "http/options.h"
#include "ssxrver/load/http_plan.h"
#include "ssxrver/load/stream_peer.h"

namespace ssx::load {

/// What all peers of a thread use in turn.
struct HttpScratch {
  explicit HttpScratch(const HttpPlan& plan);
  const http::ParserLimits limits = {.field_line_max = 64 << 10, .head_max = 64 << 10};
  http::ResponseParser parser{limits};
  http::ResponseHead head;
  std::string room = std::string(Peer::kRoom, '\0');
  std::string requests;                 ///< the plan's, `depth` times, when they have no body
  std::vector<std::string_view> batch;  ///< all of it
};

/// `plan` outlives the peers.
[[nodiscard]] MakePeers make_http_peers(const HttpPlan& plan);

class HttpPeer final : public StreamPeer {
 public:
  HttpPeer(net::EventLoop& loop, const HttpPlan& plan, HttpScratch& scratch, Events& events)
      : StreamPeer(loop, plan, scratch.room, events),
        plan_(plan),
        scratch_(scratch),
        chunks_(scratch.limits) {}

 private:
  enum class Part : std::uint8_t { kHead, kBody, kChunks, kToEnd };

  Parts greeting() override;
  Parts batch() override { return plan_.is_idle ? Parts() : Parts(scratch_.batch); }
  bool take(std::string_view bytes, TimePoint now) override;
  void on_end(TimePoint now) override;
  void on_sent(TimePoint now) override;

  bool take_head(std::string_view& bytes, TimePoint now);
  bool take_body(std::string_view& bytes, TimePoint now);
  bool take_chunks(std::string_view& bytes, TimePoint now);
  bool end(TimePoint now);

  const HttpPlan& plan_;
  HttpScratch& scratch_;
  Part part_ = Part::kHead;
  bool keeps_alive_ = false;
  std::uint16_t status_ = 0;
  std::uint64_t body_left_ = 0;
  std::string held_;  ///< of a head, as far as it has come
  http::ChunkedDecoder chunks_;
};

}  // namespace ssx::load
