#include "ssxrver/json/schema_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ssx::json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Value value(std::string_view text) {
  auto document = parse(text);
  EXPECT_TRUE(document) << text;
  return document ? std::move(document->root) : Value();
}

/// "POINTER@OFFSET: TEXT" of every violation, or the sentence that refuses the schema.
std::vector<std::string> problems(std::string_view schema, std::string_view text) {
  const auto compiled = Schema::compile(value(schema));
  if (!compiled) return {"schema: " + compiled.error()};
  std::vector<std::string> all;
  for (const Violation& one : compiled->check(value(text))) {
    all.push_back(one.pointer + "@" + std::to_string(one.origin.offset) + ": " + one.text);
  }
  return all;
}

std::string refusal(std::string_view schema) {
  const auto compiled = Schema::compile(value(schema));
  return compiled ? "" : compiled.error();
}

constexpr const char* kGreeter = R"({
  "type": "object", "additionalProperties": false, "required": ["greeting"],
  "properties": {
    "greeting": {"type": "string", "minLength": 1, "maxLength": 8},
    "times": {"type": "integer", "minimum": 1, "maximum": 3},
    "tone": {"enum": ["warm", "cold"]},
    "names": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "maxItems": 2}}})";

TEST(Schema, LetsPassWhatItAsksFor) {
  EXPECT_THAT(problems(kGreeter, R"({"greeting": "Hej", "times": 3, "tone": "cold",
                                     "names": ["a", "b"]})"),
              IsEmpty());
}

TEST(Schema, SaysWhereAndWhatWasFoundAndWanted) {
  EXPECT_THAT(
      problems(kGreeter, R"({"greeting": "", "times": 4, "tone": "mild", "name": 1})"),
      ElementsAre(
          "/greeting@13: expected 1 characters or more, found \"\"",
          "/times@26: expected 3 or less, found 4",
          "/tone@37: expected one of \"warm\", \"cold\", found \"mild\"",
          "/name@45: unknown key; known here: \"greeting\", \"times\", \"tone\", \"names\""));
  EXPECT_THAT(problems(kGreeter, R"({"names": ["a", 1, "a"]})"),
              ElementsAre("@0: the key \"greeting\" is missing",
                          "/names@10: expected 2 entries or less, found [\"a\", 1, \"a\"]",
                          "/names/1@16: expected text, found 1",
                          "/names@19: entry 2 is the same as entry 0: \"a\""));
  EXPECT_THAT(problems(kGreeter, "[]"), ElementsAre("@0: expected an object, found []"));
}

TEST(Schema, CountsCharactersAndNotBytes) {
  EXPECT_THAT(problems(R"({"maxLength": 2})", "\"\u00e4\u00e4\""), IsEmpty());
  EXPECT_THAT(problems(R"({"minLength": 3})", "\"\u00e4\u00e4\""), testing::SizeIs(1));
}

TEST(Schema, ComparesIntegersOfAllSizesExactly) {
  EXPECT_THAT(problems(R"({"maximum": 18446744073709551614})", "18446744073709551615"),
              ElementsAre("@0: expected 18446744073709551614 or less, found 18446744073709551615"));
  EXPECT_THAT(problems(R"({"minimum": -9223372036854775807})", "-9223372036854775808"),
              testing::SizeIs(1));
  EXPECT_THAT(problems(R"({"exclusiveMinimum": 1})", "1.0"),
              ElementsAre("@0: expected more than 1, found 1.0"));
  EXPECT_THAT(problems(R"({"exclusiveMaximum": 1})", "0.5"), IsEmpty());
}

TEST(Schema, NamesTheAlternatives) {
  const char* const schema = R"({"anyOf": [{"type": "integer"}, {"const": "auto"},
      {"$ref": "#/definitions/list"}], "definitions": {"list": {"title": "a list of cores"}}})";
  EXPECT_THAT(problems(R"({"oneOf": [{"type": "integer"}, {"const": "auto"}]})", "true"),
              ElementsAre("@0: expected an integer or \"auto\", found true"));
  EXPECT_THAT(problems(R"({"oneOf": [{"type": "integer"}, {"minimum": 1}]})", "2"),
              ElementsAre("@0: fits 2 of the forms an integer or another form, and should fit one: "
                          "2"));
  EXPECT_THAT(problems(R"({"not": {"type": "null"}})", "null"),
              ElementsAre("@0: expected anything but null, found null"));
  EXPECT_THAT(problems(schema, "true"), IsEmpty());
}

TEST(Schema, MayReferToItself) {
  const char* const tree = R"({"type": "object", "additionalProperties": {"$ref": "#"}})";
  EXPECT_THAT(problems(tree, R"({"a": {"b": {}}})"), IsEmpty());
  EXPECT_THAT(problems(tree, R"({"a": {"b": 1}})"),
              ElementsAre("/a/b@12: expected an object, found 1"));
}

TEST(Schema, RefusesWhatItCannotKeep) {
  EXPECT_EQ(refusal(R"({"properties": {"a": {"pattern": "^x"}}})"),
            "/properties/a/pattern: the keyword \"pattern\" is not supported");
  EXPECT_EQ(refusal(R"({"definitions": {"a": {"format": "uri"}}})"),
            "/definitions/a/format: the keyword \"format\" is not supported");
  EXPECT_EQ(refusal(R"({"items": [{}]})"), "/items: a schema for each place is not supported");
  EXPECT_EQ(refusal(R"({"$ref": "other.json"})"),
            "/$ref: \"other.json\" does not lead into this schema (\"#/definitions/...\")");
  EXPECT_EQ(refusal(R"({"$ref": "#/definitions/x"})"), "/$ref: there is no #/definitions/x");
  EXPECT_EQ(refusal(R"({"$ref": "#", "type": "object"})"),
            "the root: \"$ref\" stands beside other rules, which it hides");
  EXPECT_EQ(refusal("[]"), "the root: expected a schema, found []");
}

TEST(Schema, RefusesRulesThatAreNone) {
  for (const char* schema :
       {R"({"type": "int"})", R"({"type": []})", R"({"type": 1})", R"({"enum": 1})",
        R"({"minimum": "1"})", R"({"minLength": -1})", R"({"maxItems": 1.5})",
        R"({"uniqueItems": 1})", R"({"properties": []})", R"({"required": "a"})",
        R"({"required": [1]})", R"({"anyOf": []})", R"({"allOf": {}})", R"({"title": 1})",
        R"({"not": 1})", R"({"definitions": {"a": 1}})"}) {
    EXPECT_NE(refusal(schema), "") << schema;
  }
}

TEST(Schema, RefusesWhatNeverEnds) {
  EXPECT_THAT(refusal(R"({"$ref": "#"})"), HasSubstr("leads back to itself"));
  EXPECT_THAT(refusal(R"({"anyOf": [{"not": {"$ref": "#"}}]})"), HasSubstr("leads back"));
  EXPECT_EQ(refusal(R"({"items": {"$ref": "#"}})"), "");
}

std::string with_nodes(std::size_t count) {
  std::string text = R"({"allOf": [)";
  for (std::size_t i = 1; i < count; ++i) text += i == 1 ? "true" : ",true";
  return text + "]}";
}

TEST(Schema, HasBounds) {
  EXPECT_EQ(refusal(with_nodes(Schema::kNodesMax - 1)), "");
  EXPECT_EQ(refusal(with_nodes(Schema::kNodesMax)), "");
  EXPECT_THAT(refusal(with_nodes(Schema::kNodesMax + 1)), HasSubstr("more than 4096 schemas"));
  std::string list = "[0";
  for (std::size_t i = 1; i < Schema::kViolationsMax + 1; ++i) list += ",0";
  EXPECT_THAT(problems(R"({"items": {"type": "string"}})", list + "]"),
              testing::SizeIs(Schema::kViolationsMax));
}

}  // namespace
}  // namespace ssx::json
