// Lines of a table for the counters of an array, one for each of its elements.
//
// Thread: any thread
// Owner:  whoever makes a table
// Life:   one call
// Bounds: a line for each name
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ssxrver/metrics/registry.h"

namespace ssx::metrics {

/// What the lines have in common. `label`: its name.
struct FieldRows {
  std::string_view name;
  std::string_view help;
  std::string_view label;
};

/// The elements from `first` up to `end`; `name_of(i)`, a literal, is the label's value.
template <class Block, class NameOf>
void append_rows(std::vector<Field<Block>>& fields, const FieldRows& rows,
                 std::uint64_t (*value)(const Block& block, std::size_t index), std::size_t first,
                 std::size_t end, NameOf name_of) {
  for (std::size_t i = first; i < end; ++i)
    fields.push_back({rows.name, rows.help, Read<Block>{value, i}, {rows.label, name_of(i)}});
}

}  // namespace ssx::metrics
