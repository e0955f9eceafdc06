// The field lines of one message, in order, as offsets into the bytes they arrived in.
//
// Thread: loop-only
// Owner:  the Head they are part of
// Life:   the views it hands out live as long as the bytes it is bound to
// Bounds: kCapacity lines (ParserLimits::field_count_max), offsets below 64 KiB (head_max)
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "http/field_names.h"

namespace ssx::http {

/// One field line. The value has no whitespace at its ends.
struct Field {
  std::string_view name;   ///< as it was spelled
  std::string_view value;  ///< may hold bytes above 0x7F, never a control character except HTAB
  FieldName id = FieldName::kOther;
};

/// Trivially copyable; a default-constructed one is empty and its table is left untouched, so that
/// a request of three fields costs three entries and not 256.
class Fields {
 public:
  static constexpr std::size_t kCapacity = 256;

  Fields() noexcept {}  // NOLINT(modernize-use-equals-default): "= default" would zero the table

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// The index-th line, in the order of arrival; index < size().
  [[nodiscard]] Field operator[](std::size_t index) const noexcept;

  [[nodiscard]] bool contains(FieldName name) const noexcept {
    return (present_ >> static_cast<unsigned>(name) & 1) != 0;
  }

  /// The value of the first line of this name. For kOther: nothing.
  [[nodiscard]] std::optional<std::string_view> find(FieldName name) const noexcept;
  /// The same for any name, whatever its case.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;

  /// The index of the first line of this name at or after `from`; size() when there is none. For
  /// fields that may come more than once: for (i = next(n, 0); i < size(); i = next(n, i + 1)).
  [[nodiscard]] std::size_t next(FieldName name, std::size_t from) const noexcept;
  [[nodiscard]] std::size_t next(std::string_view name, std::size_t from) const noexcept;

  /// True when a member of the comma-separated list that all lines of this name form together
  /// (RFC 9110 5.3) equals `token`, whatever its case.
  [[nodiscard]] bool has_token(FieldName name, std::string_view token) const noexcept;

  class Iterator {
   public:
    using value_type = Field;
    using difference_type = std::ptrdiff_t;
    Iterator(const Fields& fields, std::size_t index) noexcept : fields_(&fields), index_(index) {}
    Field operator*() const noexcept { return (*fields_)[index_]; }
    Iterator& operator++() noexcept { return ++index_, *this; }
    bool operator==(const Iterator& other) const noexcept { return index_ == other.index_; }

   private:
    const Fields* fields_;
    std::size_t index_;
  };
  [[nodiscard]] Iterator begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] Iterator end() const noexcept { return {*this, size_}; }

  // The parser's side.

  struct Entry {
    std::uint16_t name_offset;
    std::uint16_t name_size;
    std::uint16_t value_offset;
    std::uint16_t value_size;
    FieldName id;
  };

  void clear() noexcept { size_ = 0, present_ = 0; }
  /// Appends a line, whose offsets the caller fills in; size() < kCapacity.
  [[nodiscard]] Entry& add(FieldName id) noexcept {
    present_ |= std::uint64_t{1} << static_cast<unsigned>(id);
    Entry& entry = entries_[size_++];
    entry.id = id;
    return entry;
  }
  /// The lines, and what contains() knows of them, for restore() of another one.
  [[nodiscard]] std::span<const Entry> entries() const noexcept { return {entries_.data(), size_}; }
  [[nodiscard]] std::uint64_t present() const noexcept { return present_; }
  void restore(std::span<const Entry> entries, std::uint64_t present) noexcept {
    std::ranges::copy(entries, entries_.begin());
    size_ = static_cast<std::uint32_t>(entries.size());
    present_ = present;
  }
  /// All lines of this name, which is not kOther, are as if they had not come.
  void remove(FieldName name) noexcept;
  /// Every offset counts from here on from `base`.
  void bind(const char* base) noexcept { base_ = base; }
  [[nodiscard]] const char* base() const noexcept { return base_; }

 private:
  const char* base_ = nullptr;
  std::uint64_t present_ = 0;
  std::uint32_t size_ = 0;
  std::array<Entry, kCapacity> entries_;
};

}  // namespace ssx::http
