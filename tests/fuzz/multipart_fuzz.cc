// multipart/form-data (K10): the same parts in one piece and in many, little kept in between, and
// what was read can be written and is read again as the same.
#include "ssxrver/base/assert.h"
#include "tests/fuzz/fuzz.h"
#include "tests/http/multipart_feed.h"

#include <string>

namespace {

using namespace ssx::http;

// Small, so that inputs of a few hundred bytes reach them.
constexpr MultipartLimits kLimits = {.parts_max = 5, .part_header_max = 256, .part_fields_max = 6};

Multipart multipart(const MultipartLimits& limits) {
  return Multipart::create("multipart/form-data; boundary=b", limits).value();
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') out += '\\';
    out += byte;
  }
  return out + '"';
}

std::string written(const test::Parts& parts) {
  std::string body;
  for (const test::Part& part : parts.parts) {
    body += "--b\r\nContent-Disposition: form-data; name=" + quoted(part.name);
    if (part.has_filename) body += "; filename=" + quoted(part.filename);
    body += "\r\nContent-Type: " + part.content_type + "\r\n\r\n" + part.data + "\r\n";
  }
  return body + "--b--\r\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = ssx::fuzz::text(data, size);
  const test::Parts whole = test::read_parts(multipart(kLimits), {bytes});
  SSX_ASSERT(whole.has_ended != (whole.error != Errc::kOk));
  SSX_ASSERT(whole.parts.size() <= kLimits.parts_max, whole.parts.size());
  for (const auto& pieces : ssx::fuzz::splits(bytes)) {
    if (pieces.empty()) continue;
    const test::Parts parts = test::read_parts(multipart(kLimits), pieces);
    SSX_ASSERT(test::same(parts, whole), to_string(parts.error), to_string(whole.error));
    SSX_ASSERT(parts.unread_max <= kLimits.part_header_max, parts.unread_max);
  }
  for (const test::Part& part : whole.parts) {
    SSX_ASSERT(part.is_whole || whole.error != Errc::kOk);
    SSX_ASSERT(part.data.find("\r\n--b") == std::string::npos);
    SSX_ASSERT(part.filename.find_first_of("/\\") == std::string::npos, part.filename);
    SSX_ASSERT(part.filename != ".." && part.filename != ".", part.filename);
  }
  if (whole.error != Errc::kOk) return 0;
  const test::Parts again = test::read_parts(multipart({}), {written(whole)});
  SSX_ASSERT(test::same(again, whole), to_string(again.error));
  return 0;
}
