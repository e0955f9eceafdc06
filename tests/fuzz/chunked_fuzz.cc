// A chunked body: the same data in one piece and in many, and framing within its bound.
#include "http/chunked_decoder.h"

#include "ssxrver/base/assert.h"
#include "tests/fuzz/fuzz.h"
#include "tests/http/outcome.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ssx::http;
  const std::string_view bytes = ssx::fuzz::text(data, size);
  // Small limits, so that inputs of a few hundred bytes reach them.
  const ParserLimits limits{.chunk_extension_max = 24,
                            .trailer_max = 64,
                            .trailer_count_max = 4,
                            .chunk_overhead_base = 96,
                            .chunk_overhead_ratio = 2};
  const test::Body whole = test::decode_pieces({bytes}, limits);
  for (const auto& pieces : ssx::fuzz::splits(bytes)) {
    SSX_ASSERT(test::decode_pieces(pieces, limits) == whole);
  }
  SSX_ASSERT(whole.data.size() <= bytes.size());
  SSX_ASSERT(whole.progress == Progress::kFailed || whole.consumed <= bytes.size());
  if (whole.progress == Progress::kDone) {
    const std::size_t framing = whole.consumed - whole.data.size();
    SSX_ASSERT(framing <= 96 + 2 * whole.data.size(), framing);
    SSX_ASSERT(bytes.substr(0, whole.consumed).ends_with("\r\n"));
  }
  return 0;
}
