// Everything that ResponseParser says about some bytes, as values to compare; for tests and the
// fuzz target.
//
// Thread: any thread
// Owner:  values
// Life:   they outlive the bytes
// Bounds: none of its own
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "http/client/response_parser.h"
#include "tests/http/outcome.h"

namespace ssx::http::test {

struct ResponseOutcome {
  Progress progress = Progress::kNeedMore;
  Errc error = Errc::kOk;
  std::size_t head_size = 0;
  int status = 0;
  std::string reason;
  Version version = Version::kHttp11;
  BodyFraming framing = BodyFraming::kNone;
  bool keep_alive = false, chunked = false;
  std::optional<std::uint64_t> content_length;
  Pairs fields;

  bool operator==(const ResponseOutcome&) const = default;
};

inline void PrintTo(const ResponseOutcome& outcome, std::ostream* out) {
  *out << "progress " << static_cast<int>(outcome.progress) << ", \"" << to_string(outcome.error)
       << "\", head " << outcome.head_size << ", " << outcome.status << ' ' << outcome.reason
       << ", framing " << static_cast<int>(outcome.framing) << ", " << outcome.fields.size()
       << " fields";
}

inline ResponseOutcome response_outcome_of(const ResponseParser::Parsed& parsed,
                                           const ResponseHead& head) {
  ResponseOutcome outcome;
  outcome.progress = parsed.progress;
  outcome.error = parsed.error;
  outcome.head_size = parsed.head_size;
  if (parsed.progress != Progress::kDone) return outcome;
  outcome.status = head.status;
  outcome.reason = head.reason;
  outcome.framing = head.framing;
  copy_head(outcome, head);
  return outcome;
}

/// What was received so far lies somewhere else each time.
inline ResponseOutcome parse_response_pieces(const Pieces& pieces, Method request = Method::kGet,
                                             const ParserLimits& limits = {},
                                             Isa isa = best_isa()) {
  ResponseParser parser(limits, isa);
  parser.reset(request);
  ResponseHead head;
  ResponseOutcome outcome;
  receive(pieces, [&](std::string_view bytes) {
    const auto parsed = parser.parse(bytes, head);
    if (parsed.progress != Progress::kNeedMore) outcome = response_outcome_of(parsed, head);
    return parsed.progress != Progress::kNeedMore;
  });
  return outcome;
}

}  // namespace ssx::http::test
