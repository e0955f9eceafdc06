#include "http/parameters.h"

#include "http/scan.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

constexpr auto npos = std::string_view::npos;

void skip_space(std::string_view& text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

std::string_view take_token(std::string_view& text) noexcept {
  const char* const end = skip_token(best_isa(), text.data(), text.data() + text.size());
  const std::string_view token = text.substr(0, static_cast<std::size_t>(end - text.data()));
  text.remove_prefix(token.size());
  return token;
}

bool is_escape(std::string_view text, std::size_t at, Backslash backslash) noexcept {
  if (text[at] != '\\' || at + 1 == text.size()) return false;
  return backslash == Backslash::kQuotes || text[at + 1] == '"' || text[at + 1] == '\\';
}

// What stands between the quotes; nothing when the second one is missing or a control stands there.
std::optional<std::string_view> take_quoted(std::string_view& text, Backslash backslash) noexcept {
  std::size_t at = 1;
  while (at < text.size() && text[at] != '"') at += is_escape(text, at, backslash) ? 2 : 1;
  if (at >= text.size()) return std::nullopt;
  const std::string_view inside = text.substr(1, at - 1);
  const char* const last = inside.data() + inside.size();
  if (skip_value(best_isa(), inside.data(), last) != last) return std::nullopt;
  text.remove_prefix(at + 1);
  return inside;
}

}  // namespace

bool Parameters::parse(std::string_view text, Backslash backslash) noexcept {
  size_ = 0;
  backslash_ = backslash;
  while (true) {
    skip_space(text);
    if (text.empty()) return true;
    if (text.front() != ';') return false;
    text.remove_prefix(1);
    skip_space(text);
    if (text.empty() || text.front() == ';')
      continue;  // RFC 9110 5.6.6: a parameter may be missing
    if (!add(text)) return false;
  }
}

bool Parameters::add(std::string_view& text) noexcept {
  const std::string_view name = take_token(text);
  if (name.empty() || !text.starts_with('=') || size_ == kMax || entry(name) != nullptr)
    return false;
  text.remove_prefix(1);
  Entry& added = entries_[size_];
  added.name = name;
  added.quoted = text.starts_with('"');
  if (added.quoted) {
    const auto inside = take_quoted(text, backslash_);
    if (!inside) return false;
    added.value = *inside;
  } else {
    added.value = take_token(text);
    if (added.value.empty()) return false;
  }
  ++size_;
  return true;
}

const Parameters::Entry* Parameters::entry(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < size_; ++i) {
    if (ascii_iequals(entries_[i].name, name)) return &entries_[i];
  }
  return nullptr;
}

std::optional<std::string> Parameters::find(std::string_view name) const {
  const Entry* const found = entry(name);
  if (found == nullptr) return std::nullopt;
  if (!found->quoted || found->value.find('\\') == npos) return std::string(found->value);
  std::string value;
  for (std::size_t at = 0; at < found->value.size(); ++at) {
    if (is_escape(found->value, at, backslash_)) ++at;
    value += found->value[at];
  }
  return value;
}

}  // namespace ssx::http
