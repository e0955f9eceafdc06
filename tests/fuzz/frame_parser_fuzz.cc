// Frames (K05): the same messages and the same error in one piece and in many as a reader finds who
// goes byte by byte and shares no code with the parser; a header that is taken has one spelling; so
// has a close frame.
//
// The first byte of an input says who reads and with which limits, the rest is the stream.
#include "websocket/frame_parser.h"

#include <algorithm>
#include <array>

#include "ssxrver/base/assert.h"
#include "tests/fuzz/fuzz.h"
#include "tests/websocket/transcript.h"
#include "websocket/close_frame.h"
#include "websocket/describe.h"

namespace {

using namespace ssx;
using namespace ssx::websocket;

// Small limits, so that inputs of a few hundred bytes reach them.
test::Reading reading_of(unsigned choice) {
  test::Reading reading{.role = (choice & 1) != 0 ? Role::kClient : Role::kServer,
                        .may_compress = (choice & 2) != 0};
  if ((choice & 4) != 0) {
    reading.limits = {
        .frame_max = 40, .message_max = 60, .fragments_max = 5, .empty_fragments_max = 2};
  }
  return reading;
}

void check_header(ByteView bytes, const test::Reading& reading) {
  const DecodedHeader decoded = decode_header(bytes, reading.role, reading.may_compress);
  if (decoded.size == 0) return;
  SSX_ASSERT(decoded.error == Errc::kOk && decoded.size == header_size(decoded.header));
  std::array<std::byte, kHeaderMax> again;
  const std::size_t size = encode_header(decoded.header, again);
  SSX_ASSERT(size == decoded.size);
  SSX_ASSERT(std::ranges::equal(ByteView(again).first(size), bytes.first(size)));
}

void check_close(std::string_view payload) {
  const ParsedClose close = parse_close(as_bytes(payload));
  if (close.error != Errc::kOk) return;
  SSX_ASSERT(close.code == CloseCode::kNoStatus ? payload.empty() : may_be_sent(close.code));
  std::array<std::byte, kControlPayloadMax> again;
  const std::size_t size = write_close(close.code, close.reason, again);
  SSX_ASSERT(as_text(ByteView(again).first(size)) == payload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const test::Reading reading = reading_of(data[0]);
  const std::string_view bytes = fuzz::text(data + 1, size - 1);
  check_header(as_bytes(bytes), reading);

  const test::Transcript expected = test::read_by_reference(bytes, reading);
  SSX_ASSERT(test::parse_whole(bytes, reading) == expected);
  for (const auto& pieces : fuzz::splits(bytes)) {
    SSX_ASSERT(test::parse_pieces(pieces, reading) == expected);
  }
  for (const test::Message& message : expected.messages) {
    if (message.opcode == Opcode::kClose) check_close(message.payload);
    const std::string shown = describe(message.opcode, as_bytes(message.payload));
    SSX_ASSERT(std::ranges::none_of(shown, [](char c) { return c >= 0 && c < ' '; }));
    SSX_ASSERT(shown.size() < 5 * kSampleMax, shown);
  }
  return 0;
}
