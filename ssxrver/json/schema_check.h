// Whether a JSON value is what a JSON Schema asks for (draft 7), said with the place of each
// mistake.
//
// The part that configurations need, and not a keyword more: a schema with another one is refused
// by its name, so that nobody relies on a rule that is not kept. Known: type, enum, const, minimum,
// maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, items (one schema), minItems,
// maxItems, uniqueItems, properties, required, additionalProperties, minProperties, maxProperties,
// allOf, anyOf, oneOf, not, true and false; $ref into the same schema; and what only describes:
// title, description, default, examples, $comment, $schema, readOnly, writeOnly. valijson, which
// Debian has, passes over keywords that it does not know, and its messages name neither what was
// wanted nor what was found.
//
// Thread: immutable once compiled
// Owner:  a value; copies share what was compiled
// Life:   independent of the JSON that it came from
// Bounds: kNodesMax schemas in one, kViolationsMax violations are told of
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/json/json.h"

namespace ssx::json {

namespace internal {
struct SchemaNode;
}

struct Violation {
  std::string pointer;  ///< JSON pointer into the value
  Origin origin;        ///< of that place
  std::string text;     ///< "expected an integer, found \"x\""
};

class Schema {
 public:
  static constexpr std::size_t kNodesMax = 4096;
  static constexpr std::size_t kViolationsMax = 100;

  /// The error is a sentence with the JSON pointer of the place in the schema.
  static Expected<Schema, std::string> compile(const Value& schema);

  /// Empty: the value is good.
  [[nodiscard]] std::vector<Violation> check(const Value& value) const;

 private:
  using Nodes = std::vector<internal::SchemaNode>;
  explicit Schema(std::shared_ptr<const Nodes> nodes) : nodes_(std::move(nodes)) {}

  std::shared_ptr<const Nodes> nodes_;  ///< the first is the root
};

}  // namespace ssx::json
