// Lines of the access log (K15): whatever a peer says, no control byte is in a line, no line is
// longer than it may be, what is ours stands where it should, and JSON stays JSON.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "http/access_format.h"
#include "http/request_parser.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/json/json.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace ssx::http;

constexpr std::size_t kLineMax = 768;
constexpr const char* kText =
    R"(>$request|$request_method|$request_uri|$args|$uri|$host|$remote_user|$http_x|$http_cookie|)"
    R"($http_referer|$http_user_agent|$route|$sent_http_x|$status<)";
constexpr const char* kJson =
    R"({"request":"$request","uri":"$uri","host":"$host","user":"$remote_user","x":"$http_x",)"
    R"("referer":"$http_referer","sent":"$sent_http_x","status":$status})";

bool is_clean(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7F;
}

std::string render(const char* pattern, const AccessEntry& entry) {
  const auto format = *AccessFormat::compile(pattern, kLineMax);
  AccessTime time(true);
  std::vector<char> room(kLineMax);  // ASan watches its end
  const auto rendered = format.render(entry, time, room);
  SSX_ASSERT(rendered.size <= kLineMax, rendered.size);
  std::string line(room.data(), rendered.size);
  SSX_ASSERT(std::all_of(line.begin(), line.end(), is_clean), line);
  return line;
}

void check(const AccessEntry& entry) {
  const std::string text = render(kText, entry);
  SSX_ASSERT(text.starts_with('>') && text.ends_with("|400<"), text);
  SSX_ASSERT(text.find('"') == text.npos, text);
  const std::string object = render(kJson, entry);
  const auto document = ssx::json::parse(object);
  SSX_ASSERT(document.has_value(), object);
  const ssx::json::Value* const status = document->root.find("status");
  SSX_ASSERT(status != nullptr && status->number() != nullptr && *status->number() == 400, object);
  SSX_ASSERT(document->root.object()->size() == 8, object);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = ssx::fuzz::text(data, size);
  const ssx::net::SocketAddress nobody;
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  static_cast<void>(parser.parse(bytes, head));
  AccessEntry entry{.head = head, .peer = nobody, .client = nobody};
  entry.status = 400;
  entry.bad_line = bytes;
  entry.path = bytes;
  entry.route = bytes.substr(bytes.size() / 2);
  entry.sent_fields = bytes;
  entry.sent_prepared = bytes.substr(bytes.size() / 3);
  check(entry);
  // A pattern that a file of the configuration may hold: it compiles, or says what is wrong.
  if (const auto format = AccessFormat::compile(bytes, kLineMax)) {
    AccessTime time(true);
    std::vector<char> room(kLineMax);
    SSX_ASSERT(format->render(entry, time, room).size <= kLineMax);
  }
  return 0;
}
