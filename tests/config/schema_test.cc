#include "ssxrver/config/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ssxrver/config/server_config.h"
#include "ssxrver/config/tables.h"

namespace ssx::config {
namespace {

using ::testing::HasSubstr;

const json::Value* at(const json::Value& root, std::initializer_list<const char*> path) {
  const json::Value* value = &root;
  for (const char* key : path) {
    value = value != nullptr ? value->find(key) : nullptr;
  }
  return value;
}

/// Calls visit(pointer, facts) for every key, those of list entries too.
template <class Visit>
void visit_keys(const Facts& facts, const std::string& pointer, const Visit& visit) {
  for (const Facts& child : facts.children) {
    visit(pointer + "/" + child.name, child);
    visit_keys(child, pointer + "/" + child.name, visit);
  }
}

TEST(Schema, IsJsonThatForbidsUnknownKeys) {
  const auto document = json::parse(make_schema());
  ASSERT_TRUE(document);
  const json::Value& schema = document->root;
  EXPECT_EQ(*at(schema, {"additionalProperties"})->boolean(), false);
  EXPECT_EQ(*at(schema, {"properties", "port", "maximum"})->number(), 65535u);
  EXPECT_EQ(*at(schema, {"properties", "port", "default"})->number(), 4507u);
  const auto* routes = at(schema, {"properties", "http", "properties", "routes"});
  ASSERT_NE(routes, nullptr);
  EXPECT_EQ(*at(*routes, {"items", "additionalProperties"})->boolean(), false);
  EXPECT_NE(at(*routes, {"items", "properties", "match"}), nullptr);
  const auto* log = at(schema, {"properties", "log", "properties"});
  EXPECT_EQ(*log->find("ansync_started"), *log->find("async_started"));
}

TEST(Schema, NamesEveryKey) {
  const auto schema = json::parse(make_schema())->root;
  visit_keys(server_facts(), "", [&schema](const std::string& pointer, const Facts&) {
    const json::Value* place = &schema;
    for (std::size_t from = 1; from <= pointer.size() && place != nullptr;) {
      const auto to = std::min(pointer.find('/', from), pointer.size());
      const json::Value* entry = place->find("items");
      const json::Value* named = place->find("additionalProperties");
      if (entry == nullptr && named != nullptr && named->object() != nullptr) entry = named;
      place = (entry != nullptr ? entry : place)->find("properties");
      if (place != nullptr) place = place->find(pointer.substr(from, to - from));
      from = to + 1;
    }
    EXPECT_NE(place, nullptr) << pointer;
  });
}

TEST(Reference, NamesEveryKeyAndItsReason) {
  const std::string page = make_reference();
  visit_keys(server_facts(), "", [&page](const std::string& pointer, const Facts& facts) {
    if (!facts.is_built) return;
    const bool has_section = !facts.children.empty() && !facts.has_entries();
    EXPECT_THAT(page, HasSubstr((has_section ? "" : "| `") + facts.name + "`")) << pointer;
    EXPECT_NE(facts.why, "") << pointer << " has no reason";
  });
  EXPECT_THAT(page, HasSubstr("| `max_body_size` | a size | 1 .. 2^62 | `64M`<br>hardened `1M` |"));
  EXPECT_THAT(page, HasSubstr("Not in this build, accepted at these values only: `"));
}

TEST(Example, LoadsAndGivesTheDefaults) {
  auto example = ServerConfig::parse(make_example());
  ASSERT_TRUE(example) << example.error().text();
  EXPECT_EQ(example->files.root, "html/");
  // What the site links to, and the default.
  ASSERT_EQ(example->routes.size(), 3U);
  EXPECT_EQ(example->routes[0].match, "/docs/*");
  EXPECT_EQ(example->routes[1].match, "/chat/{room}");
  example->routes.erase(example->routes.begin(), example->routes.begin() + 2);
  auto standard = ServerConfig::parse("{\"http\": {\"root_path\": \"html/\"}}");
  ASSERT_TRUE(standard);
  EXPECT_EQ(*example, *standard);
}

TEST(Example, NamesEveryKey) {
  const std::string page = make_example();
  visit_keys(server_facts(), "", [&page](const std::string& pointer, const Facts& facts) {
    EXPECT_THAT(page, HasSubstr("\"" + facts.name + "\": ")) << pointer;
  });
}

}  // namespace
}  // namespace ssx::config
