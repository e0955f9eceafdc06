// A request that did not arrive in one piece: the head so far, then the body so far. (i)
//
// Thread: loop-only
// Owner:  Session; spare ones WorkerState
// Life:   from the first incomplete read to the end of the request
// Bounds: ParserLimits, body_max, body_spool_threshold, upload_tmp_total
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/body.h"
#include "http/chunked_decoder.h"
#include "http/error.h"
#include "http/head.h"
#include "http/request_parser.h"
#include "http/router.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::http {

class Service;

class Exchange {
 public:
  explicit Exchange(Service& service);
  ~Exchange() { clear(); }

  /// Ready for another request; short memory is kept.
  void clear() noexcept;

  /// Copies the bytes of a complete head, so that it outlives the receive buffer.
  void keep_head(const Head& source, std::string_view bytes, std::string_view path);
  /// The head is complete and its Content-Length, if any, within body_max.
  void begin_body(const RouteLimits& limits, TimePoint now);
  /// Takes what belongs to the body from the front of `bytes`: how much, or why not.
  struct Taken {
    std::size_t consumed = 0;
    bool done = false;
    Errc error = Errc::kOk;
  };
  [[nodiscard]] Taken take_body(std::string_view bytes);
  /// kBodyTimedOut when less than `min_rate` bytes/s arrived on average, once its grace is over.
  [[nodiscard]] Errc check_rate(TimePoint now) const noexcept;
  /// The average starts anew: for a while nobody was here to read.
  void restart_rate(TimePoint now) noexcept;

  [[nodiscard]] const Body& body();

  // While the head is incomplete:
  RequestParser parser;
  Head head;
  std::string path;  ///< normalised
  RouteLimits limits;

 private:
  [[nodiscard]] Errc append(std::string_view data);
  [[nodiscard]] Errc start_spooling();
  [[nodiscard]] Errc write_spool(std::string_view data);

  Service& service_;
  std::string head_bytes_;
  ChunkedDecoder decoder_;
  std::uint64_t expected_ = 0;  ///< Content-Length; unused when chunked
  std::uint64_t received_ = 0;
  std::string memory_;
  sys::UniqueFd spool_;
  std::uint64_t spooled_ = 0;    ///< reserved from upload_tmp_total
  TimePoint rate_start_;         ///< what check_rate() counts begins here,
  std::uint64_t rate_base_ = 0;  ///< and with this many bytes received
  Body body_;
};

}  // namespace ssx::http
