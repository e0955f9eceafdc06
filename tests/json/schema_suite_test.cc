// The JSON Schema Test Suite of the people who write the standard, as Debian packages it: every
// group of draft 7 whose schema has only keywords that we know. The others must be refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "ssxrver/json/schema_check.h"
#include "tests/support/peer.h"

namespace ssx::json {
namespace {

constexpr const char* kSuite = "/usr/share/json-schema-test-suite/tests/draft7";

struct Counts {
  int groups = 0;
  int refused = 0;
  int tests = 0;
};

void run_group(const Value& group, const std::string& file, Counts& counts) {
  ++counts.groups;
  const auto schema = Schema::compile(*group.find("schema"));
  if (!schema) {
    ++counts.refused;
    return;
  }
  for (const Value& test : *group.find("tests")->array()) {
    ++counts.tests;
    const auto found = schema->check(*test.find("data"));
    EXPECT_EQ(found.empty(), *test.find("valid")->boolean())
        << file << ": " << *group.find("description")->string() << ": "
        << *test.find("description")->string() << (found.empty() ? "" : ": " + found.front().text);
  }
}

/// How many groups of a file run, and how many are refused for a keyword.
Counts run_file(const std::string& name) {
  std::ifstream stream(fmt::format("{}/{}.json", kSuite, name));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  Counts counts;
  const auto document = parse(text, 0, {.strict = true});
  EXPECT_TRUE(document) << name;
  if (!document) return counts;
  for (const Value& group : *document->root.array()) run_group(group, name, counts);
  return counts;
}

TEST(SchemaSuite, AgreesOnEveryKeywordThatWeKnow) {
  SSX_NEEDS_PEER(std::filesystem::exists(kSuite), "json-schema-test-suite");
  for (const char* name : {"additionalProperties",
                           "allOf",
                           "anyOf",
                           "boolean_schema",
                           "const",
                           "default",
                           "enum",
                           "exclusiveMaximum",
                           "exclusiveMinimum",
                           "items",
                           "maxItems",
                           "maxLength",
                           "maxProperties",
                           "maximum",
                           "minItems",
                           "minLength",
                           "minProperties",
                           "minimum",
                           "not",
                           "oneOf",
                           "properties",
                           "ref",
                           "required",
                           "type",
                           "uniqueItems"}) {
    const Counts counts = run_file(name);
    EXPECT_GT(counts.tests, 0) << name;
    EXPECT_LE(counts.refused * 2, counts.groups + 1) << name;
  }
}

TEST(SchemaSuite, SeesEveryKeywordThatWeDoNotKnow) {
  SSX_NEEDS_PEER(std::filesystem::exists(kSuite), "json-schema-test-suite");
  for (const char* name : {"additionalItems", "contains", "dependencies", "if-then-else",
                           "multipleOf", "pattern", "patternProperties", "propertyNames"}) {
    const Counts counts = run_file(name);
    EXPECT_GT(counts.refused, 0) << name;
  }
}

}  // namespace
}  // namespace ssx::json
