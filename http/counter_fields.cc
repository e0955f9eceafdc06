#include "http/counter_fields.h"

#include <array>
#include <string_view>
#include <vector>

#include "ssxrver/metrics/field_rows.h"

namespace ssx::http {
namespace {

using Field = metrics::Field<Counters>;

constexpr Field kFields[] = {
    {"ssxrver_http_requests_total", "Requests that reached routing.", &Counters::requests},
    {"ssxrver_http_handler_errors_total", "Handlers that threw.", &Counters::handler_errors},
    {"ssxrver_http_cancelled_total", "Coroutines whose client had gone.", &Counters::cancelled},
    {"ssxrver_http_timeouts_total",
     "Connections closed silently, or reset, in the end.",
     &Counters::first_byte_timeouts,
     {"of", "first_byte"}},
    {"ssxrver_http_timeouts_total",
     "Connections closed silently, or reset, in the end.",
     &Counters::idle_timeouts,
     {"of", "idle"}},
    {"ssxrver_http_timeouts_total",
     "Connections closed silently, or reset, in the end.",
     &Counters::write_timeouts,
     {"of", "write"}},
    {"ssxrver_http_limit_hits_total",
     "Limits reached that are no errors.",
     &Counters::write_min_rate_hit,
     {"limit", "write_min_rate"}},
    {"ssxrver_http_limit_hits_total",
     "Limits reached that are no errors.",
     &Counters::keepalive_requests_hit,
     {"limit", "keepalive_requests"}},
    {"ssxrver_http_limit_hits_total",
     "Limits reached that are no errors.",
     &Counters::connection_age_hit,
     {"limit", "connection_age"}},
    {"ssxrver_http_limit_hits_total",
     "Limits reached that are no errors.",
     &Counters::pipeline_limit_hit,
     {"limit", "pipeline"}},
    {"ssxrver_http_limit_hits_total",
     "Limits reached that are no errors.",
     &Counters::rewrites_hit,
     {"limit", "rewrites"}},
    {"ssxrver_http_limit_hits_total",
     "Limits reached that are no errors.",
     &Counters::encoders_max_hit,
     {"limit", "encoders"}},
    {"ssxrver_http_not_kept_total", "Connections ended by their answer because of overload.",
     &Counters::overload_not_kept},
    {"ssxrver_http_cut_answers_total", "Answers cut: a body could not be made to its end.",
     &Counters::cut_answers},
    {"ssxrver_http_cut_requests_total", "Requests that the peer ended inside of.",
     &Counters::cut_requests},
    {"ssxrver_http_bodies_spooled_total", "Bodies of requests kept in files.",
     &Counters::bodies_spooled},
    {"ssxrver_http_bodies_decoded_total", "Bodies that came in gzip or deflate.",
     &Counters::bodies_decoded},
    {"ssxrver_http_compressed_total", "Answers that left with a coding of ours.",
     &Counters::compressed},
    {"ssxrver_http_memory_saved_total",
     "What was done without for want of memory.",
     &Counters::memory_not_compressed,
     {"by", "not_compressed"}},
    {"ssxrver_http_memory_saved_total",
     "What was done without for want of memory.",
     &Counters::encoders_dropped,
     {"by", "encoders_dropped"}},
    {"ssxrver_http_memory_saved_total",
     "What was done without for want of memory.",
     &Counters::encoded_dropped,
     {"by", "encoded_dropped"}},
    {"ssxrver_http_access_lines_total", "Lines for the access log.", &Counters::access_lines},
    {"ssxrver_http_access_cut_total", "Lines for the access log with a value cut.",
     &Counters::access_cut},
};

constexpr std::array<std::string_view, 5> kClasses{"1xx", "2xx", "3xx", "4xx", "5xx"};

std::uint64_t answers_of(const Counters& counters, std::size_t index) {
  return counters.answers[index].value();
}
std::uint64_t refused_of(const Counters& counters, std::size_t index) {
  return counters.refused[index].value();
}

std::vector<Field> make_fields() {
  std::vector<Field> fields(std::begin(kFields), std::end(kFields));
  metrics::append_rows(fields,
                       {"ssxrver_http_answers_total", "Answers by class of their status.", "class"},
                       &answers_of, 0, kClasses.size(), [](std::size_t i) { return kClasses[i]; });
  metrics::append_rows(fields,
                       {"ssxrver_http_refused_total", "Requests refused by reason.", "reason"},
                       &refused_of, 1, kErrcCount,  // 0 is no error
                       [](std::size_t i) { return to_string(static_cast<Errc>(i)); });
  return fields;
}

}  // namespace

std::span<const Field> counter_fields() {
  static const std::vector<Field> fields = make_fields();
  return fields;
}

}  // namespace ssx::http
