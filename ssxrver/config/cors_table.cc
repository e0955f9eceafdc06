#include <algorithm>
#include <chrono>

#include "http/field_rules.h"
#include "http/target.h"
#include "ssxrver/config/kinds.h"
#include "ssxrver/config/tables.h"

namespace ssx::config {
namespace {

using http::CorsOptions;

constexpr std::int64_t kAgeMax = 24 * 60 * 60;

/// A whole number of seconds.
struct BareSeconds {
  Whole whole;
  std::optional<std::chrono::seconds> read(Reader& reader, const json::Value& value) const {
    const auto count = whole.read(reader, value);
    if (!count) return std::nullopt;
    return std::chrono::seconds(*count);
  }
  [[nodiscard]] json::Value write(std::chrono::seconds time) const { return time.count(); }
  void describe(Facts& facts) const {
    whole.describe(facts);
    facts.type = "a number of seconds";
  }
};

// As browsers send it (Fetch Standard 3.2, HTML 7.1.1): lower case, no path, and no port that the
// scheme implies. They are compared byte by byte.
const char* object_to_origin(const std::string& text) {
  if (text == "*" || text == "null") return nullptr;
  const auto end = text.find("://");
  const auto rest = end == text.npos ? std::string_view() : std::string_view(text).substr(end + 3);
  const auto scheme = std::string_view(text).substr(0, end);
  http::Authority authority;
  const bool is_good = (scheme == "http" || scheme == "https") &&
                       http::parse_authority(rest, authority) == http::Errc::kOk &&
                       !rest.ends_with(':') && authority.port != (scheme == "https" ? 443 : 80) &&
                       std::ranges::none_of(rest, [](char c) { return c >= 'A' && c <= 'Z'; });
  return is_good ? nullptr
                 : "an origin as browsers send it, such as \"https://app.example\" or "
                   "\"http://localhost:3000\", \"null\", or \"*\" for all";
}

const char* object_to_field_name(const std::string& text) {
  return http::is_token(text) ? nullptr : "a field's name, or \"*\" for all";
}

const char* object_to_exposed(const std::string& text) {
  return http::is_token(text) ? nullptr : "a field's name";
}

void check(Reader& reader, const json::Value& value, CorsOptions& cors) {
  const bool is_any = std::ranges::find(cors.origins, "*") != cors.origins.end();
  if (cors.credentials && is_any) {
    const json::Value* origins = value.find("origins");
    const Reader::Step step(reader, "origins");
    reader.error(origins != nullptr ? *origins : value,
                 "\"*\" does not go with \"credentials\": \"on\", as every page could act in the "
                 "name of its visitor: name the origins");
  }
  if (cors.enabled && cors.origins.empty()) {
    reader.error(value, "is enabled for no origins: name them in \"origins\"");
  }
}

}  // namespace

Table<CorsOptions> cors_keys() {
  const auto live = Reload::kLive;
  const Text field{.length_max = 256, .what = "field names", .objection = object_to_field_name};
  Table<CorsOptions> table;
  table.key("enabled", &CorsOptions::enabled, Switch{}, live,
            "for all routes, and where there is none; before their auth and rate_limit");
  table.key(
      "origins", &CorsOptions::origins,
      Words{{.length_max = 1024, .what = "origins", .objection = object_to_origin}, 256}, live,
      "of the pages that may read answers: \"https://app.example\", \"null\", or \"*\" for all");
  table.key("methods", &CorsOptions::methods,
            Words{{.what = "methods", .objection = object_to_method}, 16}, live,
            "that those pages may use; empty = GET, HEAD and POST");
  table.key("headers", &CorsOptions::headers, Words{field, 64}, live,
            "that they may send; \"*\" = all");
  table.key("expose_headers", &CorsOptions::expose_headers,
            Words{{.length_max = 256, .what = "field names", .objection = object_to_exposed}, 64},
            live, "that they may read, beside those that every page may");
  table.key("credentials", &CorsOptions::credentials, Switch{}, live,
            "with cookies and passwords; not together with the origin \"*\"");
  table.key("max_age", &CorsOptions::max_age, BareSeconds{Whole{{0, kAgeMax}}}, live,
            "how long browsers may keep what a preflight was told");
  table.check(check);
  return table;
}

}  // namespace ssx::config
