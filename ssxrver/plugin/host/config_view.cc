#include "ssxrver/plugin/host/config_view.h"

#include <charconv>

namespace ssx::plugins {
namespace {

/// One step with `~1` and `~0` taken off (RFC 6901 4). Nothing when a `~` means neither.
std::optional<std::string> unescape(std::string_view step) {
  std::string key;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] != '~') {
      key += step[i];
      continue;
    }
    if (++i == step.size() || (step[i] != '0' && step[i] != '1')) return std::nullopt;
    key += step[i] == '0' ? '~' : '/';
  }
  return key;
}

/// An index has no leading zero; "-" names nothing that is there.
const json::Value* item_of(const json::Array& items, std::string_view step) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error != std::errc() || end != step.data() + step.size()) return nullptr;
  if (step.size() > 1 && step.front() == '0') return nullptr;
  return index < items.size() ? &items[index] : nullptr;
}

}  // namespace

ConfigView::ConfigView(json::Value root) : current_(std::make_unique<Version>(std::move(root))) {}

const json::Value* ConfigView::resolve(const json::Value& root, std::string_view pointer) {
  const json::Value* value = &root;
  while (!pointer.empty() && value != nullptr) {
    if (pointer.front() != '/') return nullptr;
    const std::size_t end = pointer.find('/', 1);
    const std::string_view step = pointer.substr(1, end == pointer.npos ? end : end - 1);
    pointer = end == pointer.npos ? std::string_view() : pointer.substr(end);
    if (const json::Array* const items = value->array()) {
      value = item_of(*items, step);
      continue;
    }
    const auto key = unescape(step);
    value = key ? value->find(*key) : nullptr;
  }
  return value;
}

std::optional<std::string_view> ConfigView::find(std::string_view pointer, bool plain) {
  const MutexLock lock(mutex_);
  Version& version = next_ != nullptr ? *next_ : *current_;
  const json::Value* const value = resolve(version.root, pointer);
  if (value == nullptr) return std::nullopt;
  const std::string* const string = value->string();
  if (plain && string != nullptr) return *string;
  const auto [at, is_new] = version.texts.try_emplace(value);
  if (is_new) at->second = json::write(*value, json::kCompact);
  return at->second;
}

void ConfigView::prepare(json::Value root) {
  const MutexLock lock(mutex_);
  next_ = std::make_unique<Version>(std::move(root));
}

void ConfigView::commit() {
  const MutexLock lock(mutex_);
  previous_ = std::move(current_);
  current_ = std::move(next_);
}

void ConfigView::abort() {
  const MutexLock lock(mutex_);
  next_.reset();
}

}  // namespace ssx::plugins
