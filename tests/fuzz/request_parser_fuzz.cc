// The head of a request: the same reading in one piece and in many, with every instruction set, and
// when it is written down again, and out of memory (KnownHeads); no disagreement with llhttp about
// where a message ends.
#include "http/request_parser.h"

#include <string>

#include "http/known_heads.h"
#include "ssxrver/base/assert.h"
#include "tests/fuzz/fuzz.h"
#include "tests/http/outcome.h"
#ifdef SSX_HAVE_LLHTTP
#include "tests/http/llhttp_door.h"
#endif

namespace {

using namespace ssx::http;
using test::Outcome;

// What a handler may rely on, once the parser lets a request through.
void check_promises(const Outcome& outcome, std::string_view bytes) {
  SSX_ASSERT(outcome.head_size <= bytes.size());
  SSX_ASSERT(bytes.substr(0, outcome.head_size).ends_with("\r\n\r\n"));
  SSX_ASSERT(!(outcome.chunked && outcome.content_length.has_value()));
  SSX_ASSERT(outcome.has_host || outcome.version == Version::kHttp10);
  SSX_ASSERT(outcome.path == "*" || check_path(outcome.path) == Errc::kOk);
  for (const auto& [name, value] : outcome.fields) {
    SSX_ASSERT(!name.empty());
    SSX_ASSERT(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
  }
}

// A request that is written down again from what was understood means the same: nothing that a
// proxy or a log would drop has decided anything.
void check_round_trip(const Outcome& outcome) {
  std::string again = outcome.method + ' ' + outcome.target;
  again += outcome.version == Version::kHttp11 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n";
  for (const auto& [name, value] : outcome.fields) again.append(name + ": " + value + "\r\n");
  again += "\r\n";
  ParserLimits limits;  // the spaces must not be what is too long
  limits.field_line_max *= 2;
  limits.head_max *= 2;
  Outcome second = test::parse_pieces({again}, limits);
  SSX_ASSERT(second.head_size == again.size(), again);
  second.head_size = outcome.head_size;
  SSX_ASSERT(second == outcome, again);
}

// What is remembered of a head is what it was parsed to, wherever its bytes come again.
void check_memory(const Outcome& outcome, std::string_view bytes) {
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  SSX_ASSERT(parser.parse(bytes, head).progress == Progress::kDone);
  KnownHeads heads;
  const ssx::SlotId connection{0, 0};
  heads.note(connection, head);
  const std::string again(bytes);
  Head known;
  const bool is_short =
      head.size <= KnownHeads::kSizeMax && head.fields.size() <= KnownHeads::kFieldsMax;
  SSX_ASSERT(heads.recall(connection, again, known) == is_short);
  if (!is_short) return;
  SSX_ASSERT(test::outcome_of({Progress::kDone, Errc::kOk, known.size}, known) == outcome);
}

#ifdef SSX_HAVE_LLHTTP
void check_against_llhttp(std::string_view bytes) {
  const test::Opinion ours = test::our_opinion(bytes);
  const test::Opinion theirs = test::llhttp_opinion(bytes);
  if (!ours.head_accepted() || !theirs.head_accepted()) return;
  SSX_ASSERT(ours.head_size == theirs.head_size, ours.head_size, theirs.head_size);
  SSX_ASSERT(ours.chunked == theirs.chunked);
  SSX_ASSERT(ours.content_length == theirs.content_length);
  SSX_ASSERT(ours.target == theirs.target, ours.target, theirs.target);
  SSX_ASSERT(ours.fields == theirs.fields);
  if (ours.state != test::Opinion::State::kDone || ours.state != theirs.state) return;
  SSX_ASSERT(ours.message_size == theirs.message_size, ours.message_size, theirs.message_size);
  SSX_ASSERT(ours.body == theirs.body);
}
#else
void check_against_llhttp(std::string_view) {}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = ssx::fuzz::text(data, size);
  const Outcome whole = test::parse_pieces({bytes});
  for (const auto& pieces : ssx::fuzz::splits(bytes)) {
    SSX_ASSERT(test::parse_pieces(pieces) == whole);
  }
  for (const ssx::Isa isa : {ssx::Isa::kScalar, ssx::Isa::kSsse3}) {
    if (isa <= ssx::best_isa()) SSX_ASSERT(test::parse_pieces({bytes}, {}, isa) == whole);
  }
  if (whole.progress == Progress::kDone) {
    check_promises(whole, bytes);
    check_round_trip(whole);
    check_memory(whole, bytes);
  }
  check_against_llhttp(bytes);
  return 0;
}
