// A JSON Schema as it is kept: one node for each schema in it.
//
// Thread: immutable once compiled
// Owner:  Schema
// Life:   that of the Schema
// Bounds: Schema::kNodesMax nodes
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/json/json.h"

namespace ssx::json::internal {

/// The place of a node in the list of all.
using NodeIndex = std::size_t;

/// Bits: a schema may name several. An integer is a number too.
enum TypeBit : std::uint8_t {
  kNullBit = 1,
  kBooleanBit = 2,
  kIntegerBit = 4,
  kNumberBit = 8,
  kStringBit = 16,
  kArrayBit = 32,
  kObjectBit = 64,
};

struct Interval {
  std::optional<std::uint64_t> min;
  std::optional<std::uint64_t> max;
};

struct SchemaNode {
  bool never = false;           ///< the schema `false`
  std::optional<NodeIndex> to;  ///< $ref: nothing else counts
  std::uint8_t types = 0;       ///< TypeBit; 0 = every type
  std::string title;

  std::optional<Value> constant;
  std::optional<std::vector<Value>> choices;

  std::optional<Value> minimum;
  std::optional<Value> maximum;
  std::optional<Value> above;  ///< exclusiveMinimum
  std::optional<Value> below;  ///< exclusiveMaximum

  Interval length;  ///< of a string, in code points
  Interval items;   ///< of an array
  Interval members;
  bool unique_items = false;
  std::optional<NodeIndex> item;

  std::vector<std::pair<std::string, NodeIndex>> properties;
  std::vector<std::string> required;
  std::optional<NodeIndex> other_properties;  ///< additionalProperties

  std::vector<NodeIndex> all_of;
  std::vector<NodeIndex> any_of;
  std::vector<NodeIndex> one_of;
  std::optional<NodeIndex> none_of;  ///< not
};

}  // namespace ssx::json::internal
