// UTF-8 as WebSockets check it: every instruction set says what the definition says, for the whole
// text and for its pieces, and refuses the piece that holds the first impossible byte.
#include "websocket/utf8.h"

#include "ssxrver/base/assert.h"
#include "tests/fuzz/fuzz.h"
#include "tests/websocket/utf8_oracle.h"

namespace {

using namespace ssx;
using namespace ssx::websocket;
using Verdict = test::Utf8Oracle::Verdict;

const test::Utf8Oracle& oracle() {
  static const test::Utf8Oracle only;
  return only;
}

/// The first byte with which no text goes on; the size when there is none.
std::size_t first_bad(std::string_view text) {
  if (oracle().judge(text) != Verdict::kBad) return text.size();
  std::size_t good = 0;  // is not bad
  std::size_t bad = text.size();
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (oracle().judge(text.substr(0, middle)) == Verdict::kBad ? bad : good) = middle;
  }
  return good;
}

void check_pieces(const fuzz::Pieces& pieces, std::size_t bad, Verdict expected, ssx::Isa isa) {
  Utf8Validator validator;
  std::size_t end = 0;
  for (const std::string_view piece : pieces) {
    end += piece.size();
    SSX_ASSERT(validator.feed(as_bytes(piece), isa) == (expected != Verdict::kBad || end <= bad));
  }
  SSX_ASSERT(validator.is_complete() == (expected == Verdict::kWhole));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text(data, size);
  const Verdict expected = oracle().judge(text);
  const std::size_t bad = first_bad(text);
  const auto splits = fuzz::splits(text);
  for (const ssx::Isa isa : {ssx::Isa::kScalar, ssx::best_isa()}) {
    SSX_ASSERT(is_utf8(as_bytes(text), isa) == (expected == Verdict::kWhole));
    check_pieces({text}, bad, expected, isa);
    for (const auto& pieces : splits) check_pieces(pieces, bad, expected, isa);
  }
  const std::size_t front = utf8_front(text);
  SSX_ASSERT(front <= bad && bad - front < 4);
  SSX_ASSERT(oracle().judge(text.substr(0, front)) == Verdict::kWhole);
  return 0;
}
