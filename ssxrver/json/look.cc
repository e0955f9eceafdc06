// What looks at a tree and changes nothing of it.
#include "ssxrver/json/json.h"

namespace ssx::json {
namespace {

constexpr std::size_t kShownMax = 60;

/// One step of a pointer as the key that it names; nothing when it is not escaped rightly.
bool unescape(std::string_view step, std::string& key) {
  key.clear();
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] != '~') {
      key += step[i];
      continue;
    }
    ++i;
    if (i == step.size() || (step[i] != '0' && step[i] != '1')) return false;
    key += step[i] == '0' ? '~' : '/';
  }
  return true;
}

/// "0", "12": no sign and no leading zero.
const Value* item_of(const Array& items, std::string_view step) {
  std::size_t index = 0;
  if (step.empty() || step.size() > 9 || (step.size() > 1 && step.front() == '0')) return nullptr;
  for (const char c : step) {
    if (c < '0' || c > '9') return nullptr;
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  return index < items.size() ? &items[index] : nullptr;
}

}  // namespace

const Value* find_by_pointer(const Value& root, std::string_view pointer) {
  const Value* at = &root;
  std::string key;
  while (at != nullptr && !pointer.empty()) {
    if (pointer.front() != '/') return nullptr;
    pointer.remove_prefix(1);
    const std::string_view step = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(step.size());
    if (!unescape(step, key)) return nullptr;
    at = at->array() != nullptr ? item_of(*at->array(), key) : at->find(key);
  }
  return at;
}

std::string show(const Value& value) {
  std::string text = write(value, kOneLine);
  if (text.size() <= kShownMax) return text;
  std::size_t cut = kShownMax;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
  return text.substr(0, cut) + "...";
}

}  // namespace ssx::json
