#include "http/rewritten_target.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ssx::http {
namespace {

const ParserLimits kLimits;

TargetTemplate to(std::string_view text) {
  const auto made = TargetTemplate::parse(text, {"a", "rest"}, TargetTemplate::Kind::kPath);
  EXPECT_TRUE(made) << text;
  return *made;
}
Params params(std::string_view a, std::string_view rest = "") {
  Params made;
  made.push({"a", a});
  made.push({"rest", rest});
  return made;
}

TEST(RewrittenTarget, IsDecodedAsAnyOther) {
  RewrittenTarget target;
  EXPECT_EQ(target.set(to("/x%20y/{a}/./z/{rest}"), params("1 2", "u/v"), "", kLimits), Errc::kOk);
  EXPECT_EQ(target.path(), "/x y/1 2/z/u/v");
  EXPECT_EQ(target.query(), "");
}

TEST(RewrittenTarget, GivesValuesBackAsTheyWere) {
  RewrittenTarget target;
  for (const std::string value : {"a%2fb?c#d&e=f+g", "..x", "%", "\xc3\xa9 \"<>"}) {
    EXPECT_EQ(target.set(to("/{a}"), params(value), "", kLimits), Errc::kOk);
    EXPECT_EQ(target.path(), "/" + value);
  }
}

TEST(RewrittenTarget, KeepsTheQueryOrHasItsOwn) {
  RewrittenTarget target;
  EXPECT_EQ(target.set(to("/x"), params("1"), "b=c", kLimits), Errc::kOk);
  EXPECT_EQ(target.query(), "b=c");
  EXPECT_EQ(target.set(to("/x?d={a}"), params("1&2"), "b=c", kLimits), Errc::kOk);
  EXPECT_EQ(target.query(), "d=1%262");
  EXPECT_EQ(target.set(to("/x?"), params("1"), "b=c", kLimits), Errc::kOk);
  EXPECT_EQ(target.query(), "");
}

// The next one is made of the values of the last.
TEST(RewrittenTarget, FollowsItself) {
  RewrittenTarget target;
  ASSERT_EQ(target.set(to("/first/{a}"), params("v"), "q=1", kLimits), Errc::kOk);
  for (int i = 0; i < 10; ++i) {
    const Params views = params(target.path().substr(1), target.path().substr(1));
    ASSERT_EQ(target.set(to("/n/{rest}"), views, target.query(), kLimits), Errc::kOk);
  }
  EXPECT_EQ(target.path(), "/n/n/n/n/n/n/n/n/n/n/first/v");
  EXPECT_EQ(target.query(), "q=1");
}

TEST(RewrittenTarget, IsNoLongerThanATargetMayBe) {
  const ParserLimits limits{.target_max = 100};
  RewrittenTarget target;
  ASSERT_EQ(target.set(to("/{a}"), params("old"), "", kLimits), Errc::kOk);
  EXPECT_EQ(target.set(to("/{a}"), params(std::string(98, 'x')), "", limits), Errc::kOk);
  EXPECT_EQ(target.set(to("/{a}"), params(std::string(99, 'x')), "", limits), Errc::kOk);
  EXPECT_EQ(target.path().size(), 100U);
  EXPECT_EQ(target.set(to("/{a}"), params(std::string(100, 'y')), "", limits),
            Errc::kTargetTooLong);
  EXPECT_EQ(target.set(to("/{a}"), params(std::string(98, 'y')), "q", limits),
            Errc::kTargetTooLong);
  EXPECT_EQ(target.path(), "/" + std::string(99, 'x'));
}

TEST(RewrittenTarget, HasNoLongerPathThanATargetMayHave) {
  const ParserLimits limits{.path_max = 100};
  RewrittenTarget target;
  const std::string query(200, 'q');
  for (const std::size_t size : {98U, 99U})
    EXPECT_EQ(target.set(to("/{a}"), params(std::string(size, 'x')), query, limits), Errc::kOk);
  EXPECT_EQ(target.set(to("/{a}"), params(std::string(100, 'y')), "", limits), Errc::kPathTooLong);
  EXPECT_EQ(target.set(to("/{a}"), params(std::string(34, ' ')), "", limits), Errc::kPathTooLong)
      << "each of them is %20 on the way";
  EXPECT_EQ(target.path(), "/" + std::string(99, 'x'));
}

TEST(RewrittenTarget, HasNoMoreSegmentsThanATargetMayHave) {
  const ParserLimits limits{.segments_max = 5};
  RewrittenTarget target;
  EXPECT_EQ(target.set(to("/x/{rest}"), params("", "b/c/d"), "", limits), Errc::kOk);
  EXPECT_EQ(target.set(to("/x/{rest}"), params("", "b/c/d/e"), "/////", limits), Errc::kOk);
  EXPECT_EQ(target.set(to("/x/{rest}"), params("", "b/c/d/e/f"), "", limits),
            Errc::kTooManySegments);
  EXPECT_EQ(target.path(), "/x/b/c/d/e");
}

TEST(RewrittenTarget, RefusesWhatNoPathIs) {
  RewrittenTarget target;
  EXPECT_EQ(target.set(to("/{a}"), params("\x01"), "", kLimits), Errc::kEncodedControl);
  EXPECT_EQ(target.set(to("/{a}"), params("a\\b"), "", kLimits), Errc::kEncodedSlash);
}

TEST(RewrittenTarget, GivesBackItsMemory) {
  RewrittenTarget target;
  ASSERT_EQ(target.set(to("/{a}"), params(std::string(5000, 'x')), "q", kLimits), Errc::kOk);
  target.shrink(100);
  EXPECT_EQ(target.path(), "");
  EXPECT_EQ(target.query(), "");
  EXPECT_EQ(target.set(to("/{a}"), params("y"), "q", kLimits), Errc::kOk);
  EXPECT_EQ(target.path(), "/y");
}

}  // namespace
}  // namespace ssx::http
