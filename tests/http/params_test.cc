#include "http/params.h"

#include <gtest/gtest.h>

namespace ssx::http {
namespace {

TEST(Params, AreEmptyAtFirst) {
  const Params params;
  EXPECT_EQ(params.size(), 0u);
  EXPECT_EQ(params.find("a"), "");
  EXPECT_EQ(params.find("a").data(), nullptr);  // not there, which is not the same as empty
}

TEST(Params, AreFoundByName) {
  Params params;
  params.push({"a", "1"});
  params.push({"b", "2"});
  params.push({"a", "3"});
  EXPECT_EQ(params.find("a"), "1");
  EXPECT_EQ(params.find("b"), "2");
  EXPECT_EQ(params.find("B"), "");
  EXPECT_EQ(params[2].value, "3");
}

TEST(Params, MayBeNamedLater) {
  Params params;
  params.push({{}, "1"});
  params.name(0, "late");
  EXPECT_EQ(params.find("late"), "1");
}

TEST(Params, AreTakenBackInOrder) {
  Params params;
  params.push({"a", "1"});
  params.push({"b", "2"});
  params.pop();
  EXPECT_EQ(params.size(), 1u);
  EXPECT_EQ(params.find("b"), "");
  params.clear();
  EXPECT_EQ(params.size(), 0u);
}

TEST(Params, HoldAsManyAsARouteMayHave) {
  Params params;
  for (std::size_t i = 0; i < Params::kMax; ++i) params.push({"name", "value"});
  EXPECT_EQ(params.size(), Params::kMax);
}

}  // namespace
}  // namespace ssx::http
