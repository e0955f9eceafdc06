#include "http/files/mime_types.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

using Type = std::pair<std::string_view, std::string_view>;

// Registered media types; text that is not told otherwise is UTF-8.
constexpr std::array kBuiltIn = {
    Type{"html", "text/html; charset=utf-8"},
    Type{"htm", "text/html; charset=utf-8"},
    Type{"css", "text/css; charset=utf-8"},
    Type{"js", "text/javascript; charset=utf-8"},
    Type{"mjs", "text/javascript; charset=utf-8"},
    Type{"json", "application/json"},
    Type{"map", "application/json"},
    Type{"webmanifest", "application/manifest+json"},
    Type{"txt", "text/plain; charset=utf-8"},
    Type{"md", "text/markdown; charset=utf-8"},
    Type{"csv", "text/csv; charset=utf-8"},
    Type{"xml", "text/xml; charset=utf-8"},
    Type{"rss", "application/rss+xml"},
    Type{"atom", "application/atom+xml"},
    Type{"svg", "image/svg+xml"},
    Type{"png", "image/png"},
    Type{"jpg", "image/jpeg"},
    Type{"jpeg", "image/jpeg"},
    Type{"gif", "image/gif"},
    Type{"webp", "image/webp"},
    Type{"avif", "image/avif"},
    Type{"ico", "image/vnd.microsoft.icon"},
    Type{"bmp", "image/bmp"},
    Type{"tif", "image/tiff"},
    Type{"tiff", "image/tiff"},
    Type{"woff", "font/woff"},
    Type{"woff2", "font/woff2"},
    Type{"ttf", "font/ttf"},
    Type{"otf", "font/otf"},
    Type{"mp3", "audio/mpeg"},
    Type{"ogg", "audio/ogg"},
    Type{"wav", "audio/wav"},
    Type{"m4a", "audio/mp4"},
    Type{"flac", "audio/flac"},
    Type{"mp4", "video/mp4"},
    Type{"webm", "video/webm"},
    Type{"mov", "video/quicktime"},
    Type{"mpeg", "video/mpeg"},
    Type{"pdf", "application/pdf"},
    Type{"wasm", "application/wasm"},
    Type{"zip", "application/zip"},
    Type{"gz", "application/gzip"},
    Type{"zst", "application/zstd"},
    Type{"tar", "application/x-tar"},
    Type{"7z", "application/x-7z-compressed"},
    Type{"rtf", "application/rtf"},
    Type{"doc", "application/msword"},
    Type{"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    Type{"xls", "application/vnd.ms-excel"},
    Type{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    Type{"ppt", "application/vnd.ms-powerpoint"},
    Type{"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    Type{"odt", "application/vnd.oasis.opendocument.text"},
    Type{"epub", "application/epub+zip"},
};

std::string to_lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), ascii_lower);
  return lower;
}

}  // namespace

MimeTypes::MimeTypes(const std::map<std::string, std::string>& overrides) {
  for (const auto& [extension, type] : kBuiltIn) types_.emplace(extension, type);
  for (const auto& [extension, type] : overrides) {
    const std::size_t dot = extension.starts_with('.') ? 1 : 0;
    types_[to_lower(std::string_view(extension).substr(dot))] = type;
  }
}

std::string_view MimeTypes::of(std::string_view path) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return kUnknown;
  const auto found = types_.find(to_lower(name.substr(dot + 1)));
  return found == types_.end() ? kUnknown : std::string_view(found->second);
}

}  // namespace ssx::http
