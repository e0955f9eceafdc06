#include "http/middleware/request_id.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/sys/process.h"

namespace ssx::http {
namespace {

constexpr std::string_view kAttribute = "request_id";

bool is_plain(char c) noexcept {
  return (c >= '0' && c <= '9') || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') ||
         std::string_view("-._~+/=").find(c) != std::string_view::npos;
}

bool is_valid(std::string_view name) noexcept {
  return !name.empty() && name.size() <= RequestIdOptions::kSizeMax &&
         std::all_of(name.begin(), name.end(), is_plain);
}

std::string make_name() {
  std::array<std::byte, 16> bytes{};
  const auto filled = sys::random_bytes(bytes);
  SSX_ASSERT(filled.has_value());
  constexpr std::string_view digits = "0123456789abcdef";
  std::string name;
  name.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    name += digits[std::to_integer<std::size_t>(byte) >> 4];
    name += digits[std::to_integer<std::size_t>(byte) & 15];
  }
  return name;
}

}  // namespace

Middleware request_id(const RequestIdOptions& options) {
  auto before = [options](const Request& request) -> std::optional<Response> {
    const auto given = options.trust_request ? request.header(options.field) : std::nullopt;
    request.set_attribute(kAttribute,
                          given && is_valid(*given) ? std::string(*given) : make_name());
    return std::nullopt;
  };
  auto after = [field = options.field](const Request& request, Response& answer) {
    if (answer.has(field)) return;
    if (const auto name = request.attribute(kAttribute)) answer.set(field, *name);
  };
  return Middleware::hooks(std::move(before), std::move(after));
}

}  // namespace ssx::http
