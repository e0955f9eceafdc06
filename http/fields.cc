#include "http/fields.h"

#include "ssxrver/base/assert.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

bool list_has(std::string_view list, std::string_view token) noexcept {
  bool found = false;
  for_each_part(list, ',', [&found, token](std::string_view part) {
    found = found || ascii_iequals(trim(part), token);
  });
  return found;
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
    if (ascii_iequals({base_ + entry.name_offset, entry.name_size}, name)) break;
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

void Fields::remove(FieldName name) noexcept {
  SSX_ASSERT(name != FieldName::kOther);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < size_; ++i) {
    if (entries_[i].id != name) entries_[kept++] = entries_[i];
  }
  size_ = kept;
  present_ &= ~(std::uint64_t{1} << static_cast<unsigned>(name));
}

bool Fields::has_token(FieldName name, std::string_view token) const noexcept {
  for (std::size_t i = next(name, 0); i < size_; i = next(name, i + 1)) {
    if (list_has((*this)[i].value, token)) return true;
  }
  return false;
}

}  // namespace ssx::http
