// The Content-Type of a file, by the extension of its name.
//
// Thread: immutable once built
// Owner:  StaticHandler
// Life:   that of the server; the views it hands out as well
// Bounds: -
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ssx::http {

class MimeTypes {
 public:
  static constexpr std::string_view kUnknown = "application/octet-stream";

  /// `overrides`: extension (with or without its dot, any case) to type; they win over the table.
  explicit MimeTypes(const std::map<std::string, std::string>& overrides = {});

  /// By the text behind the last dot of the last segment.
  [[nodiscard]] std::string_view of(std::string_view path) const;

 private:
  std::map<std::string, std::string, std::less<>> types_;
};

}  // namespace ssx::http
