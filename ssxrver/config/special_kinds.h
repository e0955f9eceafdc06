// Types that one key or two have: secrets, a text that may be null, levels by module, a share, the
// format of the access log.
//
// Thread: immutable values
// Owner:  the tables
// Life:   as long as the tables
// Bounds: secrets 64 KiB, 32 modules
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/base/log.h"
#include "ssxrver/config/facts.h"
#include "ssxrver/config/kinds.h"
#include "ssxrver/config/reader.h"
#include "ssxrver/config/secret.h"

namespace ssx::config {

inline constexpr std::size_t kSecretMax = 64 << 10;

/// A text, or {"file": "path"}: the content of a file without the newline at its end. A file that
/// others may read is warned about, and refused by `profile: hardened`.
struct SecretText {
  std::optional<Secret> read(Reader& reader, const json::Value& value) const;
  /// The value itself: ServerConfig::to_json masks it.
  [[nodiscard]] json::Value write(const Secret& secret) const;
  void describe(Facts& facts) const;
};

/// The name of a handler. `prefixes`: with the name of a plugin behind one of them; those of
/// `later_prefixes` are not built yet.
struct HandlerName {
  ChoiceNames choice;
  std::vector<std::string_view> prefixes;
  std::vector<std::string_view> later_prefixes;
  std::optional<std::string> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(const std::string& name) const { return name; }
  void describe(Facts& facts) const;
};

/// The path of a file whose content is a secret, as of SecretText; "" is none. Written as "": it is
/// the secret's own key that tells where it came from.
struct SecretFile {
  std::optional<Secret> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(const Secret&) const { return ""; }
  void describe(Facts& facts) const;
};

/// A path; null is "".
struct MaybePath {
  std::optional<std::string> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(const std::string& path) const;
  void describe(Facts& facts) const;
};

/// {"net": "DEBUG"}
struct ModuleLevels {
  using Levels = std::vector<std::pair<std::string, log::Level>>;
  std::optional<Levels> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(const Levels& levels) const;
  void describe(Facts& facts) const;
};

/// A number from 0 to 1; as text too.
struct Share {
  std::optional<double> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(double share) const { return share; }
  void describe(Facts& facts) const;
};

/// The format of a line of the access log: a name, or a pattern of known variables.
struct AccessPattern {
  std::optional<std::string> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(const std::string& pattern) const { return pattern; }
  void describe(Facts& facts) const;
};

/// TRACE .. OFF
[[nodiscard]] Choice<log::Level> level_choice();

}  // namespace ssx::config
