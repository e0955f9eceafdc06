// K12: the configuration reader on any text. What it accepts, it prints, and what it prints loads
// equal; and every key of an accepted text is among the printed ones, so none was ignored.
//
// A first line "-g KEY=VALUE" is an option of the command line, not part of the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/assert.h"
#include "ssxrver/config/server_config.h"

namespace {

using ssx::ServerConfig;
namespace json = ssx::json;

/// `printed` has every key that `given` has. Lists keep their length, or are printed in another
/// shape ("cpu_affinity": "on").
void expect_every_key(const json::Value& given, const json::Value& printed) {
  if (const json::Object* members = given.object()) {
    for (const json::Member& member : *members) {
      const bool is_alias = member.key == "async_started" && printed.find(member.key) == nullptr;
      const json::Value* there = printed.find(is_alias ? "ansync_started" : member.key);
      SSX_ASSERT(there != nullptr, member.key);
      expect_every_key(member.value, *there);
    }
  }
  if (given.array() == nullptr || printed.array() == nullptr) return;
  const json::Array& items = *given.array();
  SSX_ASSERT(items.size() == printed.array()->size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) expect_every_key(items[i], (*printed.array())[i]);
}

/// The one listener that `address` and `port` make is not printed, even if the text names it.
void drop_made_listener(json::Value& given, const json::Value& printed) {
  const json::Value* listeners = printed.find("listeners");
  const bool is_made = listeners != nullptr && listeners->array()->empty();
  if (is_made && given.find("listeners") != nullptr) given.set("listeners", json::Array());
}

void check(const std::string& text, const std::vector<std::string>& overrides) {
  const auto config = ServerConfig::parse(text, overrides);
  if (!config) {
    SSX_ASSERT(!config.error().sentences().empty());
    return;
  }
  const std::string printed = config->to_json(ServerConfig::Secrets::kShown);
  const auto again = ServerConfig::parse(printed);
  SSX_ASSERT(again.has_value(), printed);
  SSX_ASSERT(*again == *config, printed);
  SSX_ASSERT(again->to_json(ServerConfig::Secrets::kShown) == printed);
  auto given = json::parse(text);
  SSX_ASSERT(given.has_value());
  // Included files and options change the tree; a lax text may have keys that do not count.
  const bool is_alone = overrides.empty() && given->root.find("include") == nullptr;
  if (!is_alone || config->strict != ssx::config::Strictness::kError) return;
  const auto tree = json::parse(printed);
  drop_made_listener(given->root, tree->root);
  expect_every_key(given->root, tree->root);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> overrides;
  if (text.starts_with("-g ")) {
    const auto end = std::min(text.find('\n'), text.size());
    overrides.push_back(text.substr(3, end - 3));
    text.erase(0, std::min(end + 1, text.size()));
  }
  check(text, overrides);
  return 0;
}
