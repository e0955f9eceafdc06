// Receives the body of one request: in memory, above body_spool_threshold in a file, or into the
// stream of a coroutine that reads it as it arrives. (i)
//
// Thread: loop-only
// Owner:  Exchange
// Life:   begin() .. take() says done or gives an error, then clear()
// Bounds: RouteLimits::body_max, of what arrives and of what is in it, and body_min_rate;
//         body_spool_threshold, upload_tmp_total; BodyInflater
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/body.h"
#include "http/body_inflater.h"
#include "http/chunked_decoder.h"
#include "http/error.h"
#include "http/head.h"
#include "http/router.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::http {

class Service;

class BodyReceiver {
 public:
  explicit BodyReceiver(Service& service);
  BodyReceiver(const BodyReceiver&) = delete;
  BodyReceiver& operator=(const BodyReceiver&) = delete;
  ~BodyReceiver() { clear(); }

  /// Ready for another body; short memory is kept.
  void clear() noexcept;

  /// The head is complete and its Content-Length, if any, within body_max. `limits` outlives the
  /// exchange. With a stream that is where the bytes go, and nothing is kept.
  void begin(const Head& head, const RouteLimits& limits, TimePoint now, BodyStream* stream);
  /// After begin(): the body is coded, and what is kept is what is in it.
  [[nodiscard]] Errc decode(compress::InflateFormat format);
  /// Takes what belongs to the body from the front of `bytes`: how much, or why not.
  struct Taken {
    std::size_t consumed = 0;
    bool done = false;
    Errc error = Errc::kOk;
  };
  [[nodiscard]] Taken take(std::string_view bytes);
  /// A whole body that lies in the receive area: a copy that stays.
  [[nodiscard]] std::string_view keep(std::string_view text);
  /// False from begin() until take() has said done.
  [[nodiscard]] bool is_complete() const noexcept { return complete_; }
  /// Bytes that have arrived.
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }
  /// Bytes of the body, which are others when it is decoded.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] Body body() const noexcept { return {memory_, spool_.get(), size_}; }

  /// kBodyTimedOut when less than body_min_rate bytes/s arrived on average, once its grace is over.
  [[nodiscard]] Errc check_rate(TimePoint now) const noexcept;
  /// The average starts anew: for a while nobody was here to read.
  void restart_rate(TimePoint now) noexcept;
  /// From here to resume_rate() nobody reads: that time does not count.
  void pause_rate(TimePoint now) noexcept;
  void resume_rate(TimePoint now) noexcept;

 private:
  // Coded bytes are few, and a stream holds what is in them: so many at a time.
  static constexpr std::size_t kCodedPiece = 128;

  void take_counted(std::string_view bytes, Taken& taken);
  void take_chunks(std::string_view bytes, Taken& taken);
  /// How much of what is left may be taken now.
  [[nodiscard]] std::size_t piece_max() const noexcept;
  [[nodiscard]] Errc append(std::string_view data);
  [[nodiscard]] Errc put(std::string_view content);
  [[nodiscard]] Errc start_spooling();
  [[nodiscard]] Errc write_spool(std::string_view data);

  Service& service_;
  const RouteLimits* limits_ = nullptr;
  BodyStream* stream_ = nullptr;
  ChunkedDecoder decoder_;
  BodyInflater inflater_;
  std::uint64_t expected_ = 0;  ///< Content-Length; unused when chunked
  std::uint64_t received_ = 0;
  std::uint64_t size_ = 0;
  bool chunked_ = false;
  bool coded_ = false;
  bool complete_ = true;
  std::string memory_;
  sys::UniqueFd spool_;
  std::uint64_t spooled_ = 0;    ///< reserved from upload_tmp_total
  TimePoint rate_start_;         ///< what check_rate() counts begins here,
  std::uint64_t rate_base_ = 0;  ///< and with this many bytes received
  TimePoint rate_paused_ = TimePoint::max();
};

}  // namespace ssx::http
