#include "ssxrver/load/http_peer.h"

#include <algorithm>
#include <utility>

namespace ssx::load {

using Answer = HttpPlan::Answer;

HttpScratch::HttpScratch(const HttpPlan& plan) {
  if (plan.body.empty()) {
    for (std::uint32_t i = 0; i < plan.depth; ++i) requests += plan.request;
    batch = {requests};
    return;
  }
  for (std::uint32_t i = 0; i < plan.depth; ++i) {
    batch.emplace_back(plan.request);
    batch.emplace_back(plan.body);
  }
}

MakePeers make_http_peers(const HttpPlan& plan) {
  return [&plan](net::EventLoop& loop) -> MakePeer {
    const auto scratch = std::make_shared<HttpScratch>(plan);
    return [&plan, &loop, scratch](Peer::Events& events) {
      return std::make_unique<HttpPeer>(loop, plan, *scratch, events);
    };
  };
}

StreamPeer::Parts HttpPeer::greeting() {
  part_ = Part::kHead;
  held_.clear();
  return plan_.is_idle ? Parts(scratch_.batch) : Parts();
}

void HttpPeer::on_sent(TimePoint now) {
  if (plan_.half_closes && !half_close()) return;
  if (plan_.answer == Answer::kNotAwaited) end_answer(true, false, now);
}

void HttpPeer::on_end(TimePoint now) {
  const bool is_answer = outstanding() > 0 && held_.empty() &&
                         (part_ == Part::kToEnd || plan_.answer == Answer::kUntilClosed);
  if (is_answer) {
    keeps_alive_ = false;
    end(now);
  } else if (outstanding() > 0 || is_greeting()) {
    fail(Failure::kClosed);
  } else {
    close();  // it was idle
  }
}

bool HttpPeer::take(std::string_view bytes, TimePoint now) {
  if (plan_.answer == Answer::kUntilClosed) return true;
  while (!bytes.empty()) {
    if (outstanding() == 0 && !is_greeting()) return fail_unasked(now), false;
    const bool goes_on = part_ == Part::kHead     ? take_head(bytes, now)
                         : part_ == Part::kBody   ? take_body(bytes, now)
                         : part_ == Part::kChunks ? take_chunks(bytes, now)
                                                  : (bytes = {}, true);
    if (!goes_on) return false;
  }
  return true;
}

// Heads that come in two reads are rare: such a one is put together, and read from its beginning.
bool HttpPeer::take_head(std::string_view& bytes, TimePoint now) {
  const std::size_t held = held_.size();
  if (held > 0) held_.append(bytes);
  const std::string_view whole = held > 0 ? std::string_view(held_) : bytes;
  scratch_.parser.reset(plan_.method);
  const auto parsed = scratch_.parser.parse(whole, scratch_.head);
  if (parsed.progress == http::Progress::kFailed) return fail(Failure::kMalformed), false;
  if (parsed.progress == http::Progress::kNeedMore) {
    if (held == 0) held_ = bytes;
    bytes = {};
    return true;
  }
  bytes.remove_prefix(scratch_.head.size - held);
  held_.clear();
  const http::ResponseHead& head = scratch_.head;
  if (head.is_interim()) return true;
  status_ = head.status;
  keeps_alive_ = head.keep_alive;
  switch (head.framing) {
    case http::BodyFraming::kNone:
      return end(now);
    case http::BodyFraming::kLength:
      part_ = Part::kBody;
      body_left_ = *head.content_length;
      return true;
    case http::BodyFraming::kChunked:
      part_ = Part::kChunks;
      chunks_.reset();
      return true;
    case http::BodyFraming::kToClose:
      part_ = Part::kToEnd;
      return true;
  }
  return true;
}

bool HttpPeer::take_body(std::string_view& bytes, TimePoint now) {
  const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(body_left_, bytes.size()));
  bytes.remove_prefix(here);
  body_left_ -= here;
  return body_left_ > 0 || end(now);
}

bool HttpPeer::take_chunks(std::string_view& bytes, TimePoint now) {
  const auto step = chunks_.next(bytes);
  if (step.progress == http::Progress::kFailed) return fail(Failure::kMalformed), false;
  bytes.remove_prefix(step.consumed);
  return step.progress != http::Progress::kDone || end(now);
}

bool HttpPeer::end(TimePoint now) {
  part_ = Part::kHead;
  const bool is_good = plan_.answer == Answer::kUntilClosed || (status_ >= 200 && status_ < 400);
  if (!is_greeting()) return end_answer(is_good, keeps_alive_, now);
  if (!is_good || !keeps_alive_) return fail(is_good ? Failure::kClosed : Failure::kStatus), false;
  opened();
  return stands();
}

}  // namespace ssx::load
