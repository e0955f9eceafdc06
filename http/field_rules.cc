#include "http/field_rules.h"

#include <algorithm>
#include <array>

#include "http/scan.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

constexpr std::array<std::string_view, 6> kServers = {
    "connection", "content-length", "date", "server", "transfer-encoding", "keep-alive"};

constexpr std::array<std::string_view, 24> kNeverTrailer = {"age",
                                                            "authorization",
                                                            "cache-control",
                                                            "content-encoding",
                                                            "content-location",
                                                            "content-range",
                                                            "content-type",
                                                            "cookie",
                                                            "expect",
                                                            "expires",
                                                            "host",
                                                            "location",
                                                            "max-forwards",
                                                            "pragma",
                                                            "proxy-authenticate",
                                                            "proxy-authorization",
                                                            "range",
                                                            "retry-after",
                                                            "set-cookie",
                                                            "te",
                                                            "trailer",
                                                            "upgrade",
                                                            "vary",
                                                            "www-authenticate"};

template <std::size_t Size>
bool is_among(const std::array<std::string_view, Size>& names, std::string_view name) noexcept {
  return std::any_of(names.begin(), names.end(),
                     [name](std::string_view known) { return ascii_iequals(name, known); });
}

}  // namespace

bool is_token(std::string_view text) noexcept {
  const char* const last = text.data() + text.size();
  return !text.empty() && skip_token(best_isa(), text.data(), last) == last;
}

bool is_field_value(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7F : byte == '\t';
  });
}

bool is_servers_field(std::string_view name) noexcept { return is_among(kServers, name); }

bool may_be_trailer(std::string_view name) noexcept {
  return !is_servers_field(name) && !is_among(kNeverTrailer, name);
}

}  // namespace ssx::http
