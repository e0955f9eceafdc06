// What one worker counts about HTTP. Each limit of HttpOptions has its own counter.
//
// Thread: one writer (the worker), many readers
// Owner:  WorkerState
// Life:   that of the server
// Bounds: -
#pragma once

#include <array>

#include "http/error.h"
#include "ssxrver/metrics/counter.h"

namespace ssx::http {

struct alignas(64) Counters {
  metrics::Counter requests;                         ///< that reached routing
  std::array<metrics::Counter, 5> answers;           ///< by class: 1xx .. 5xx
  std::array<metrics::Counter, kErrcCount> refused;  ///< by reason; the limits are among them
  metrics::Counter first_byte_timeouts;              ///< closed silently: never said anything
  metrics::Counter idle_timeouts;                    ///< closed silently: no further request
  metrics::Counter write_timeouts;                   ///< reset: no byte taken in time
  metrics::Counter write_min_rate_hit;               ///< reset: taken too slowly
  metrics::Counter keepalive_requests_hit;           ///< last answer of a connection
  metrics::Counter connection_age_hit;               ///< last answer of an old connection
  metrics::Counter overload_not_kept;                ///< last answer because of overload
  metrics::Counter pipeline_limit_hit;               ///< reading rested: many requests in one go
  metrics::Counter handler_errors;                   ///< handlers that threw
  metrics::Counter cancelled;                        ///< coroutines whose client had gone
  metrics::Counter rewrites_hit;                     ///< 500: rewritten Route::kRewritesMax times
  metrics::Counter cut_answers;                      ///< reset: a body could not be made to its end
  metrics::Counter bodies_spooled;
  metrics::Counter bodies_decoded;         ///< that came in gzip or deflate
  metrics::Counter cut_requests;           ///< the peer ended inside a request
  metrics::Counter compressed;             ///< answers that left with a coding of ours
  metrics::Counter encoders_max_hit;       ///< answers that left as they are: no encoder was free
  metrics::Counter memory_not_compressed;  ///< those that left so because there was no memory
  metrics::Counter encoders_dropped;       ///< waiting encoders that were freed for want of memory
  metrics::Counter encoded_dropped;        ///< compressed bodies that were kept and freed likewise
  metrics::Counter access_lines;           ///< lines for the access log
  metrics::Counter access_cut;             ///< those of them that have a value cut

  [[nodiscard]] metrics::Counter& of(Errc code) noexcept {
    return refused[static_cast<std::size_t>(code)];
  }
};

}  // namespace ssx::http
