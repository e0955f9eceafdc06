// Where a table stands while it reads a tree: the JSON pointer so far, and whom to tell.
//
// Thread: one thread, during one load
// Owner:  ServerConfig::load
// Life:   one load
// Bounds: Problems has them
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/config/report.h"

namespace ssx::config {

class Reader {
 public:
  /// `homes` finds the objects that know a key: "did it belong elsewhere?"
  using Homes = std::function<std::vector<std::string>(std::string_view)>;
  Reader(const Sources& sources, Problems& problems, Homes homes, bool is_hardened)
      : sources_(sources),
        problems_(problems),
        homes_(std::move(homes)),
        is_hardened_(is_hardened) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Below `key` until the end of the scope.
  class [[nodiscard]] Step {
   public:
    Step(Reader& reader, std::string_view key);
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step();

   private:
    Reader& reader_;
    std::size_t length_;
  };

  /// "expected WANT, found VALUE": of another type (`strict` decides), or outside the range.
  std::nullopt_t ill_typed(const json::Value& found, const std::string& want);
  std::nullopt_t out_of_range(const json::Value& found, const std::string& want);
  /// "is not in this build": what is accepted so far.
  void not_built(const json::Value& found, const std::string& accepted);
  void unknown_key(const json::Member& member, const std::vector<std::string_view>& known);

  void error(const json::Value& at, std::string text);
  void slip(const json::Value& at, std::string text);
  void warning(const json::Value& at, std::string text);

  [[nodiscard]] const std::string& pointer() const noexcept { return pointer_; }
  /// The value comes from the command line.
  [[nodiscard]] bool is_override(const json::Value& value) const;
  /// -g takes plain text: what JSON reads as a number there may have been meant as text.
  [[nodiscard]] std::optional<std::string> text_of(const json::Value& value) const;
  /// A secret stands in a file that others than its owner may read: a warning, and an error when
  /// the profile is hardened.
  void exposed_secret(const json::Value& at, const std::string& file);
  /// The same if that is so of the text in which the value stands.
  void check_exposure(const json::Value& secret);

 private:
  const Sources& sources_;
  Problems& problems_;
  Homes homes_;
  bool is_hardened_;
  std::string pointer_;
};

/// A value as messages show it: one line, cut to 60 bytes.
[[nodiscard]] std::string show_value(const json::Value& value);

}  // namespace ssx::config
