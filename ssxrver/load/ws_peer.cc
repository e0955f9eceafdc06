#include "ssxrver/load/ws_peer.h"

#include <algorithm>
#include <utility>

#include "ssxrver/base/bytes.h"
#include "ssxrver/load/client_frame.h"
#include "websocket/client_handshake.h"
#include "websocket/options.h"

namespace ssx::load {

using websocket::Opcode;

WsScratch::WsScratch(const WsPlan& plan) : handshake(plan.handshake) {
  if (plan.last_frame.empty()) {
    for (std::uint32_t i = 0; i < plan.depth; ++i) messages += plan.message;
    batch = {messages};
    return;
  }
  batch.emplace_back(plan.message);
  batch.insert(batch.end(), plan.middle_frames, plan.middle_frame);
  batch.emplace_back(plan.last_frame);
}

MakePeers make_ws_peers(const WsPlan& plan) {
  return [&plan](net::EventLoop& loop) -> MakePeer {
    const auto scratch = std::make_shared<WsScratch>(plan);
    return [&plan, &loop, scratch](Peer::Events& events) {
      return std::make_unique<WsPeer>(loop, plan, *scratch, events);
    };
  };
}

StreamPeer::Parts WsPeer::greeting() {
  has_shaken_hands_ = is_closing_ = is_in_payload_ = false;
  message_ = 0;
  held_.clear();
  return Parts(&scratch_.handshake, 1);
}

bool WsPeer::take(std::string_view bytes, TimePoint now) {
  if (!has_shaken_hands_ && !take_answer(bytes)) return false;
  while (!bytes.empty()) {
    if (!(is_in_payload_ ? take_payload(bytes, now) : take_header(bytes, now))) return false;
  }
  return true;
}

bool WsPeer::take_answer(std::string_view& bytes) {
  const std::size_t held = held_.size();
  if (held > 0) held_.append(bytes);
  const std::string_view whole = held > 0 ? std::string_view(held_) : bytes;
  scratch_.parser.reset(http::Method::kGet);
  const auto parsed = scratch_.parser.parse(whole, scratch_.head);
  if (parsed.progress == http::Progress::kFailed) return fail(Failure::kMalformed), false;
  if (parsed.progress == http::Progress::kNeedMore) {
    if (held == 0) held_ = bytes;
    bytes = {};
    return true;
  }
  const http::ResponseHead& head = scratch_.head;
  const auto status = static_cast<http::Status>(head.status);
  const auto answer = websocket::check_answer(status, head.fields, plan_.key, websocket::Options());
  if (answer.error != websocket::Errc::kOk) {
    return fail(head.status == 101 ? Failure::kMalformed : Failure::kStatus), false;
  }
  bytes.remove_prefix(head.size - held);
  held_.clear();
  has_shaken_hands_ = true;
  if (plan_.is_idle) {
    send_also(plan_.message);
    return true;
  }
  opened();
  return stands();
}

bool WsPeer::take_header(std::string_view& bytes, TimePoint now) {
  const std::size_t held = held_.size();
  if (held > 0) held_.append(bytes.substr(0, websocket::kHeaderMax - held));
  const std::string_view whole = held > 0 ? std::string_view(held_) : bytes;
  const auto decoded = websocket::decode_header(as_bytes(whole), websocket::Role::kClient, false);
  if (decoded.error != websocket::Errc::kOk) return fail(Failure::kMalformed), false;
  if (decoded.size == 0) {
    if (held == 0) held_ = bytes;
    bytes = {};
    return true;
  }
  bytes.remove_prefix(decoded.size - held);
  held_.clear();
  header_ = decoded.header;
  left_ = header_.payload_size;
  is_in_payload_ = true;
  return left_ > 0 || end_frame(now);
}

bool WsPeer::take_payload(std::string_view& bytes, TimePoint now) {
  const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  if (websocket::is_control(header_.opcode)) {
    control_.append(bytes.substr(0, here));
  } else {
    message_ += here;
  }
  bytes.remove_prefix(here);
  left_ -= here;
  return left_ > 0 || end_frame(now);
}

bool WsPeer::end_frame(TimePoint now) {
  is_in_payload_ = false;
  const std::string control = std::exchange(control_, {});
  switch (header_.opcode) {
    case Opcode::kPing:
      send_also(make_client_frame(Opcode::kPong, true, control));
      return true;
    case Opcode::kPong:
      return true;
    case Opcode::kClose:
      if (is_closing_) return true;  // the server ends the connection (RFC 6455 7.1.1)
      on_end(now);
      return false;
    default:
      return !header_.fin || end_message(now);
  }
}

bool WsPeer::end_message(TimePoint now) {
  const std::uint64_t size = std::exchange(message_, 0);
  const bool is_wanted = is_greeting() || outstanding() > 0;
  if (!is_wanted && plan_.answer == WsPlan::Answer::kAll) return true;  // what it has sent itself
  const bool has_right_size = plan_.answer == WsPlan::Answer::kAny || size == plan_.size;
  if (!is_wanted) return fail_unasked(now), false;
  if (is_closing_ || !has_right_size) return fail(Failure::kMalformed), false;
  if (is_greeting()) return opened(), stands();
  if (plan_.keeps_connections) return end_answer(true, true, now);
  is_closing_ = true;
  constexpr std::string_view kNormal("\x03\xe8", 2);  // 1000
  send_also(make_client_frame(Opcode::kClose, true, kNormal));
  return true;
}

void WsPeer::on_end(TimePoint now) {
  if (is_closing_) {
    end_answer(true, false, now);
  } else if (outstanding() > 0 || is_greeting()) {
    fail(Failure::kClosed);
  } else {
    close();
  }
}

}  // namespace ssx::load
