// Field lines as a parser hands them out, for what is tested without a request.
//
// Thread: the test's
// Owner:  the test
// Life:   fields() looks into it
// Bounds: 64 KiB
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "http/field_names.h"
#include "http/fields.h"

namespace ssx::websocket::test {

class FieldLines {
 public:
  using Line = std::pair<std::string_view, std::string_view>;

  FieldLines(std::initializer_list<Line> lines) {
    for (const auto& [name, value] : lines) add(name, value);
  }
  FieldLines(const FieldLines&) = delete;
  FieldLines& operator=(const FieldLines&) = delete;

  void add(std::string_view name, std::string_view value) {
    http::Fields::Entry& entry = fields_.add(http::find_field_name(name));
    entry.name_offset = put(name);
    entry.name_size = static_cast<std::uint16_t>(name.size());
    entry.value_offset = put(value);
    entry.value_size = static_cast<std::uint16_t>(value.size());
    fields_.bind(bytes_.data());
  }

  [[nodiscard]] const http::Fields& fields() const noexcept { return fields_; }

 private:
  std::uint16_t put(std::string_view text) {
    const auto offset = static_cast<std::uint16_t>(bytes_.size());
    bytes_ += text;
    return offset;
  }

  std::string bytes_;
  http::Fields fields_;
};

}  // namespace ssx::websocket::test
