// What the placeholders of a route matched: `{id}` in "/users/{id}".
//
// Thread: loop-only
// Owner:  the worker's exchange state
// Life:   views into the path of the request and the pattern of the route
// Bounds: kMax placeholders per route
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ssxrver/base/assert.h"

namespace ssx::http {

class Params {
 public:
  static constexpr std::size_t kMax = 16;

  struct Entry {
    std::string_view name;
    std::string_view value;
  };

  Params() noexcept {}  // NOLINT: "= default" would zero the table for every request

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const Entry& operator[](std::size_t index) const noexcept {
    return entries_[index];
  }
  /// Empty when the route has no such placeholder.
  [[nodiscard]] std::string_view find(std::string_view name) const noexcept {
    for (std::size_t i = 0; i < size_; ++i) {
      if (entries_[i].name == name) return entries_[i].value;
    }
    return {};
  }

  void clear() noexcept { size_ = 0; }
  void push(const Entry& entry) noexcept {
    SSX_DCHECK(size_ < kMax);
    entries_[size_++] = entry;
  }
  void pop() noexcept { --size_; }
  /// The path that the values are views of now lies at `to`.
  void rebase(const char* from, const char* to) noexcept {
    for (std::size_t i = 0; i < size_; ++i) {
      std::string_view& value = entries_[i].value;
      if (value.data() != nullptr) value = {to + (value.data() - from), value.size()};
    }
  }
  void name(std::size_t index, std::string_view name) noexcept { entries_[index].name = name; }

 private:
  std::size_t size_ = 0;
  std::array<Entry, kMax> entries_;
};

}  // namespace ssx::http
