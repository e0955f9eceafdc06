#include "http/field_rules.h"
#include "ssxrver/config/kinds.h"
#include "ssxrver/config/tables.h"

namespace ssx::config {
namespace {

using http::BodyDecodingOptions;
using http::CompressionOptions;

constexpr std::int64_t kMinSizeMax = 1 << 30;

const char* object_to_type(const std::string& text) {
  const std::size_t slash = text.find('/');
  const bool is_good = slash != std::string::npos && http::is_token(text.substr(0, slash)) &&
                       http::is_token(text.substr(slash + 1)) && text[0] != '*';
  return is_good ? nullptr : "a media type such as \"text/css\", or \"text/*\"";
}

template <class Member>
auto answers(Member member) {
  return in(&ServerConfig::compression, member);
}

template <class Member>
auto requests(Member member) {
  return in(&ServerConfig::http, &http::HttpOptions::body_decoding, member);
}

}  // namespace

ServerTable compression_keys() {
  const auto live = Reload::kLive;
  ServerTable table;
  table.key("gzip", answers(&CompressionOptions::gzip), Switch{}, live, "for clients that take it");
  table.key("brotli", answers(&CompressionOptions::brotli), Switch{}, live,
            "the same, and preferred; where the build has it");
  table.key("zstd", answers(&CompressionOptions::zstd), Switch{}, live,
            "the same, after brotli; where the build has it");
  table.key("min_size", answers(&CompressionOptions::min_size), Size{{0, kMinSizeMax}}, live,
            "shorter bodies leave as they are");
  table.key("level", answers(&CompressionOptions::level), Whole{{1, 9}}, live,
            "1 is fast, 9 is short");
  table
      .key("encoders_max", answers(&CompressionOptions::encoders_max), Whole{{1, 65536}}, live,
           "answers that each I/O thread compresses at a time; others leave as they are")
      .hardened(16);
  table.key("types", answers(&CompressionOptions::types),
            Words{{.length_max = 256, .what = "media types", .objection = object_to_type}, 64},
            live, "of the answers that are compressed; \"text/*\" is all of a kind");
  table.key("request", requests(&BodyDecodingOptions::enabled), Switch{}, live,
            "bodies of requests in gzip or deflate are taken apart before their handler sees them; "
            "others are 415");
  table
      .key("request_ratio_max", requests(&BodyDecodingOptions::ratio_max), Whole{{1, 1 << 20}},
           live, "bytes of such a body per byte that arrived, above 64k; else 413")
      .hardened(50);
  return table;
}

}  // namespace ssx::config
