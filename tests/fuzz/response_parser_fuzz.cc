// The head of a response: the same reading in one piece and in many, with every instruction set,
// and no disagreement with llhttp about where a message ends.
#include "http/client/response_parser.h"

#include <string>

#include "ssxrver/base/assert.h"
#include "tests/fuzz/fuzz.h"
#include "tests/http/client/response_outcome.h"
#ifdef SSX_HAVE_LLHTTP
#include "tests/http/llhttp_door.h"
#endif

namespace {

using namespace ssx::http;
using test::ResponseOutcome;

// What the client relies on, once the parser lets a response through.
void check_promises(const ResponseOutcome& outcome, Method request, std::string_view bytes) {
  SSX_ASSERT(outcome.head_size <= bytes.size());
  SSX_ASSERT(bytes.substr(0, outcome.head_size).ends_with("\r\n\r\n"));
  SSX_ASSERT(!(outcome.chunked && outcome.content_length.has_value()));
  SSX_ASSERT(outcome.status >= 100 && outcome.status <= 999, outcome.status);
  const bool bodiless = request == Method::kHead || outcome.status < 200 || outcome.status == 204 ||
                        outcome.status == 304;
  SSX_ASSERT(!bodiless || outcome.framing == BodyFraming::kNone);
  SSX_ASSERT(outcome.framing != BodyFraming::kToClose || !outcome.keep_alive);
  SSX_ASSERT(outcome.framing != BodyFraming::kChunked || outcome.chunked);
  SSX_ASSERT(outcome.framing != BodyFraming::kLength || outcome.content_length.has_value());
  for (const auto& [name, value] : outcome.fields) {
    SSX_ASSERT(!name.empty());
    SSX_ASSERT(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
  }
}

#ifdef SSX_HAVE_LLHTTP
// Bodies are left to the differential test: llhttp reads one behind 204 and 304.
void check_against_llhttp(std::string_view bytes, bool to_head) {
  const test::Opinion ours = test::our_response_opinion(bytes, to_head);
  const test::Opinion theirs = test::llhttp_response_opinion(bytes, to_head);
  if (!ours.head_accepted() || !theirs.head_accepted()) return;
  SSX_ASSERT(ours.head_size == theirs.head_size, ours.head_size, theirs.head_size);
  SSX_ASSERT(ours.status == theirs.status, ours.status, theirs.status);
  // A tab behind "chunked" hides it from llhttp.
  SSX_ASSERT(ours.chunked == theirs.chunked || bytes.find('\t') != bytes.npos);
  SSX_ASSERT(ours.content_length == theirs.content_length);
  SSX_ASSERT(ours.fields == theirs.fields);
}
#else
void check_against_llhttp(std::string_view, bool) {}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = ssx::fuzz::text(data, size);
  for (const Method request : {Method::kGet, Method::kHead}) {
    const ResponseOutcome whole = test::parse_response_pieces({bytes}, request);
    for (const auto& pieces : ssx::fuzz::splits(bytes)) {
      SSX_ASSERT(test::parse_response_pieces(pieces, request) == whole);
    }
    for (const ssx::Isa isa : {ssx::Isa::kScalar, ssx::Isa::kSsse3}) {
      if (isa > ssx::best_isa()) continue;
      SSX_ASSERT(test::parse_response_pieces({bytes}, request, {}, isa) == whole);
    }
    if (whole.progress == Progress::kDone) check_promises(whole, request, bytes);
    check_against_llhttp(bytes, request == Method::kHead);
  }
  return 0;
}
