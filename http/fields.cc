#include "http/fields.h"

#include "ssxrver/base/assert.h"

namespace ssx::http {
namespace {

constexpr std::string_view kOws = " \t";

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(kOws);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kOws) - first + 1);
}

bool list_has(std::string_view list, std::string_view token) noexcept {
  while (true) {
    const std::size_t comma = list.find(',');
    if (equal_ignoring_case(trimmed(list.substr(0, comma)), token)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

Field Fields::operator[](std::size_t index) const noexcept {
  SSX_ASSERT(index < size_, index, size_);
  const Entry& entry = entries_[index];
  return {.name = {base_ + entry.name_offset, entry.name_size},
          .value = {base_ + entry.value_offset, entry.value_size},
          .id = entry.id};
}

std::size_t Fields::next(FieldName name, std::size_t from) const noexcept {
  if (name == FieldName::kOther || !contains(name)) return size_;
  while (from < size_ && entries_[from].id != name) ++from;
  return from;
}

std::size_t Fields::next(std::string_view name, std::size_t from) const noexcept {
  const FieldName id = find_field_name(name);
  if (id != FieldName::kOther) return next(id, from);
  if (!contains(FieldName::kOther)) return size_;
  for (; from < size_; ++from) {
    const Entry& entry = entries_[from];
    if (entry.id != FieldName::kOther) continue;
    if (equal_ignoring_case({base_ + entry.name_offset, entry.name_size}, name)) break;
  }
  return from;
}

std::optional<std::string_view> Fields::find(FieldName name) const noexcept {
  const std::size_t index = next(name, 0);
  if (index == size_) return std::nullopt;
  return (*this)[index].value;
}

std::optional<std::string_view> Fields::find(std::string_view name) const noexcept {
  const std::size_t index = next(name, 0);
  if (index == size_) return std::nullopt;
  return (*this)[index].value;
}

bool Fields::has_token(FieldName name, std::string_view token) const noexcept {
  for (std::size_t i = next(name, 0); i < size_; i = next(name, i + 1)) {
    if (list_has((*this)[i].value, token)) return true;
  }
  return false;
}

}  // namespace ssx::http
