#include "http/body_receiver.h"

#include <algorithm>

#include "http/service.h"
#include "ssxrver/base/log.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/process.h"

namespace ssx::http {
namespace {

constexpr std::size_t kKeepCapacity = 32 << 10;

void reset(std::string& text) noexcept {
  text.clear();
  if (text.capacity() > kKeepCapacity) std::string().swap(text);
}

std::string spool_directory(const HttpOptions& options) {
  if (!options.spool_path.empty()) return options.spool_path;
  const std::string temporary = sys::environment("TMPDIR");
  return temporary.empty() ? "/tmp" : temporary;
}

}  // namespace

BodyReceiver::BodyReceiver(Service& service)
    : service_(service),
      decoder_(service.options().parser),
      inflater_(service.options().body_decoding) {}

void BodyReceiver::clear() noexcept {
  limits_ = nullptr;
  stream_ = nullptr;
  decoder_.reset();
  reset(memory_);
  spool_.reset();
  if (spooled_ > 0) service_.release_spool(spooled_);
  spooled_ = expected_ = received_ = size_ = rate_base_ = 0;
  chunked_ = coded_ = false;
  complete_ = true;
  rate_paused_ = TimePoint::max();
}

void BodyReceiver::begin(const Head& head, const RouteLimits& limits, TimePoint now,
                         BodyStream* stream) {
  limits_ = &limits;
  stream_ = stream;
  chunked_ = head.chunked;
  expected_ = head.content_length.value_or(0);
  complete_ = false;
  restart_rate(now);
}

Errc BodyReceiver::decode(compress::InflateFormat format) {
  coded_ = true;
  return inflater_.begin(format);
}

std::string_view BodyReceiver::keep(std::string_view text) {
  memory_.assign(text);
  received_ = size_ = text.size();
  return memory_;
}

void BodyReceiver::restart_rate(TimePoint now) noexcept {
  rate_start_ = now;
  rate_base_ = received_;
}

void BodyReceiver::pause_rate(TimePoint now) noexcept {
  if (rate_paused_ == TimePoint::max()) rate_paused_ = now;
}

void BodyReceiver::resume_rate(TimePoint now) noexcept {
  if (rate_paused_ == TimePoint::max()) return;
  rate_start_ += now - rate_paused_;
  rate_paused_ = TimePoint::max();
}

BodyReceiver::Taken BodyReceiver::take(std::string_view bytes) {
  Taken taken;
  if (chunked_)
    take_chunks(bytes, taken);
  else
    take_counted(bytes, taken);
  if (taken.done && taken.error == Errc::kOk && coded_) taken.error = inflater_.finish();
  complete_ = taken.done;
  return taken;
}

void BodyReceiver::take_counted(std::string_view bytes, Taken& taken) {
  bytes = bytes.substr(
      0, static_cast<std::size_t>(std::min<std::uint64_t>(expected_ - received_, bytes.size())));
  while (taken.error == Errc::kOk && taken.consumed < bytes.size() && piece_max() > 0) {
    const std::string_view piece = bytes.substr(taken.consumed, piece_max());
    taken.consumed += piece.size();
    taken.error = append(piece);
  }
  taken.done = received_ == expected_;
}

void BodyReceiver::take_chunks(std::string_view bytes, Taken& taken) {
  while (!taken.done && taken.consumed < bytes.size() && piece_max() > 0) {
    const auto step = decoder_.next(bytes.substr(taken.consumed, piece_max()));
    taken.consumed += step.consumed;
    taken.error = step.progress == Progress::kFailed ? step.error : append(step.data);
    // A chunk that is too long is so before it is there.
    if (taken.error == Errc::kOk && decoder_.chunk_left() > limits_->body_max - received_)
      taken.error = Errc::kBodyTooLarge;
    taken.done = step.progress == Progress::kDone;
    if (taken.error != Errc::kOk || (step.consumed == 0 && !taken.done)) break;
  }
}

std::size_t BodyReceiver::piece_max() const noexcept {
  if (!coded_ || stream_ == nullptr) return std::string_view::npos;
  return stream_->has_room() ? kCodedPiece : 0;
}

Errc BodyReceiver::check_rate(TimePoint now) const noexcept {
  const Duration elapsed = now - rate_start_;
  if (limits_->body_min_rate == 0 || elapsed < limits_->body_min_rate_grace) return Errc::kOk;
  const auto whole_seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  const auto needed = static_cast<std::uint64_t>(whole_seconds) * limits_->body_min_rate;
  return received_ - rate_base_ < needed ? Errc::kBodyTimedOut : Errc::kOk;
}

Errc BodyReceiver::append(std::string_view data) {
  if (data.size() > limits_->body_max - received_) return Errc::kBodyTooLarge;
  received_ += data.size();
  if (!coded_) return put(data);
  BodyInflater::Sink sink = [this](std::string_view content) { return put(content); };
  return inflater_.take(data, sink);
}

Errc BodyReceiver::put(std::string_view content) {
  if (content.size() > limits_->body_max - size_) return Errc::kBodyTooLarge;
  size_ += content.size();
  if (stream_ != nullptr) {
    stream_->put(content);
    return Errc::kOk;
  }
  if (!spool_ && size_ > service_.options().body_spool_threshold) {
    if (const Errc error = start_spooling(); error != Errc::kOk) return error;
  }
  if (spool_) return write_spool(content);
  memory_.append(content);
  return Errc::kOk;
}

Errc BodyReceiver::start_spooling() {
  const std::string directory = spool_directory(service_.options());
  auto file = sys::open_temporary(directory.c_str());
  if (!file) {
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "spool_path {}: {}", directory,
                  file.error().message());
    return Errc::kSpoolFull;
  }
  spool_ = *std::move(file);
  const std::string so_far = std::move(memory_);
  memory_.clear();
  return write_spool(so_far);
}

Errc BodyReceiver::write_spool(std::string_view data) {
  if (!service_.reserve_spool(data.size())) return Errc::kSpoolFull;
  spooled_ += data.size();
  while (!data.empty()) {
    const auto count = sys::write(spool_.get(), as_bytes(data));
    if (!count) {
      SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "body spool: {}", count.error().message());
      return Errc::kSpoolFull;
    }
    data.remove_prefix(*count);
  }
  return Errc::kOk;
}

}  // namespace ssx::http
