#include "http/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/guard_page.h"

namespace ssx::http {
namespace {

using namespace std::string_literals;

// The normalised path, or "!" and the reason. The scratch area is exactly as large as promised.
std::string normalised(std::string_view path) {
  const auto scratch = std::make_unique<char[]>(path.size());
  const auto result = normalise_path(path, {scratch.get(), path.size()});
  if (!result) return "!" + result.error().code().message();
  return std::string(*result);
}

std::string refused(Errc code) { return "!" + std::string(to_string(code)); }

TEST(NormalisePath, LeavesANormalPathWhereItIs) {
  for (const std::string_view path :
       {"/", "/a", "/a/b.html", "/a/", "/a..b", "/a.", "/a:b@c;d=e,f!$&'()*+~_-", "/[a]|{b}^`"}) {
    const auto result = normalise_path(path, {});
    ASSERT_TRUE(result) << path;
    EXPECT_EQ(result->data(), path.data()) << path;
    EXPECT_EQ(result->size(), path.size()) << path;
  }
}

TEST(NormalisePath, RemovesEmptyAndDotSegments) {
  const struct {
    std::string_view path, expected;
  } rows[] = {{"//", "/"},
              {"///a///b//", "/a/b/"},
              {"/.", "/"},
              {"/./", "/"},
              {"/a/.", "/a/"},
              {"/a/./b", "/a/b"},
              {"/a/..", "/"},
              {"/a/../", "/"},
              {"/a/../b", "/b"},
              {"/a/b/../../c", "/c"},
              {"/a/b/c/./../../g", "/a/g"},
              {"/a//../b", "/b"},
              {"/...", "/..."},
              {"/..a/.b/c..", "/..a/.b/c.."},
              {"/a/.../b", "/a/.../b"},
              {"/.hidden", "/.hidden"}};
  for (const auto& row : rows) EXPECT_EQ(normalised(row.path), row.expected) << row.path;
}

TEST(NormalisePath, DecodesOnce) {
  const struct {
    std::string_view path, expected;
  } rows[] = {{"/%41%62", "/Ab"},
              {"/%7Euser", "/~user"},
              {"/a%20b", "/a b"},
              {"/100%25", "/100%"},
              {"/%2541", "/%41"},
              {"/%252e%252e/x", "/%2e%2e/x"},
              {"/%252f", "/%2f"},
              {"/caf%C3%a9", "/caf\xc3\xa9"},
              {"/%E2%82%AC/%F0%9F%98%80", "/\xe2\x82\xac/\xf0\x9f\x98\x80"},
              {"/%23%3f", "/#?"},
              {"/a+b", "/a+b"},
              {"/%2e", "/"},
              {"/a/%2E%2e/b", "/b"},
              {"/a/.%2e/b", "/b"}};
  for (const auto& row : rows) EXPECT_EQ(normalised(row.path), row.expected) << row.path;
}

TEST(NormalisePath, NeverLeavesTheRoot) {
  for (const std::string_view path :
       {"/..", "/../", "/../etc/passwd", "/a/../..", "/a/../../b", "/./..", "//..", "/%2e%2e",
        "/%2e%2e/etc", "/.%2e/etc", "/%2e./etc", "/a/b/../../../c", "/a/..//../b"}) {
    EXPECT_EQ(normalised(path), refused(Errc::kAboveRoot)) << path;
  }
}

TEST(NormalisePath, RefusesWhatTwoProgramsReadInTwoWays) {
  const struct {
    std::string path;
    Errc code;
  } rows[] = {{"", Errc::kBadTarget},
              {"a", Errc::kBadTarget},
              {"*", Errc::kBadTarget},
              {"%2f", Errc::kBadTarget},
              {"/%", Errc::kBadEscape},
              {"/%4", Errc::kBadEscape},
              {"/%zz", Errc::kBadEscape},
              {"/%4z", Errc::kBadEscape},
              {"/%-1", Errc::kBadEscape},
              {"/%00", Errc::kEncodedControl},
              {"/a%0ab", Errc::kEncodedControl},
              {"/%1F", Errc::kEncodedControl},
              {"/%7f", Errc::kEncodedControl},
              {"/a\0b"s, Errc::kEncodedControl},
              {"/a\nb", Errc::kEncodedControl},
              {"/a%2fb", Errc::kEncodedSlash},
              {"/a%2Fb", Errc::kEncodedSlash},
              {"/a%5cb", Errc::kEncodedSlash},
              {"/a\\b", Errc::kEncodedSlash},
              {"/..%2f..%2fetc", Errc::kEncodedSlash},
              {"/%c0%af", Errc::kBadUtf8},
              {"/%e0%80%af", Errc::kBadUtf8},
              {"/%ed%a0%80", Errc::kBadUtf8},
              {"/%f4%90%80%80", Errc::kBadUtf8},
              {"/%ff", Errc::kBadUtf8},
              {"/%80", Errc::kBadUtf8},
              {"/%c3", Errc::kBadUtf8},
              {"/%c3/", Errc::kBadUtf8},
              {"/%c3%a9%c3", Errc::kBadUtf8},
              {"/\xff", Errc::kBadUtf8}};
  for (const auto& row : rows) EXPECT_EQ(normalised(row.path), refused(row.code)) << row.path;
}

// Every two-byte and three-byte sequence against the ranges of RFC 3629.
TEST(NormalisePath, KnowsUtf8) {
  const auto escape = [](unsigned byte) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return std::string{'%', kDigits[byte >> 4], kDigits[byte & 15]};
  };
  for (unsigned first = 0x80; first < 0x100; ++first) {
    for (unsigned second = 0x70; second < 0x100; ++second) {
      const bool two = first >= 0xC2 && first <= 0xDF && second >= 0x80 && second <= 0xBF;
      EXPECT_EQ(normalised("/" + escape(first) + escape(second))[0] != '!', two)
          << first << ' ' << second;
      const unsigned lowest = first == 0xE0 ? 0xA0 : 0x80;
      const unsigned highest = first == 0xED ? 0x9F : 0xBF;
      const bool three = first >= 0xE0 && first <= 0xEF && second >= lowest && second <= highest;
      EXPECT_EQ(normalised("/" + escape(first) + escape(second) + "%80")[0] != '!', three)
          << first << ' ' << second;
    }
  }
}

std::string segments(std::size_t count) {
  std::string path;
  for (std::size_t i = 0; i < count; ++i) path += "/a";
  return path;
}

TEST(CheckPathLimits, CountsBytesAsTheyWereSent) {
  const ParserLimits limits{.path_max = 60};
  for (const std::string part : {"a", "%41", "%2e/"}) {
    std::string path = "/";
    while (path.size() + part.size() <= 60) path += part;
    path.append(60 - path.size(), 'x');
    EXPECT_EQ(check_path_limits(path.substr(0, 59), limits), Errc::kOk) << path;
    EXPECT_EQ(check_path_limits(path, limits), Errc::kOk) << path;
    EXPECT_EQ(check_path_limits(path + "x", limits), Errc::kPathTooLong) << path;
  }
}

TEST(CheckPathLimits, CountsSegmentsAsTheyWereSent) {
  const ParserLimits limits{.segments_max = 10};
  EXPECT_EQ(check_path_limits(segments(9), limits), Errc::kOk);
  EXPECT_EQ(check_path_limits(segments(10), limits), Errc::kOk);
  EXPECT_EQ(check_path_limits(segments(11), limits), Errc::kTooManySegments);
  EXPECT_EQ(check_path_limits(segments(9) + "/", limits), Errc::kOk) << "an empty one at the end";
  EXPECT_EQ(check_path_limits(segments(10) + "/", limits), Errc::kTooManySegments);
  EXPECT_EQ(check_path_limits(std::string(10, '/'), limits), Errc::kOk);
  EXPECT_EQ(check_path_limits(std::string(11, '/'), limits), Errc::kTooManySegments);
  EXPECT_EQ(check_path_limits(segments(9) + "/..", limits), Errc::kOk);
  EXPECT_EQ(check_path_limits(segments(9) + "/../", limits), Errc::kTooManySegments);
  EXPECT_EQ(check_path_limits("/" + std::string(500, 'a'), limits), Errc::kOk);
  EXPECT_EQ(check_path_limits("*", {.segments_max = 0}), Errc::kOk) << "OPTIONS *";
}

// What comes of a path keeps to the limits that the path kept to.
TEST(CheckPathLimits, HoldForWhatIsNormalised) {
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    const std::string path = segments(random() % 4) + std::string(random() % 3, '/') + "/%41";
    const std::string normal = normalised(path);
    const auto count = static_cast<std::size_t>(std::ranges::count(path, '/'));
    const ParserLimits limits{.path_max = path.size(), .segments_max = count};
    EXPECT_EQ(check_path_limits(path, limits), Errc::kOk) << path;
    EXPECT_EQ(check_path_limits(normal, limits), Errc::kOk) << path;
  }
}

std::string random_path(std::mt19937& random) {
  static const std::vector<std::string> kParts = {"/",   "/",   ".",    "..",  "a",   "%2e",  "%2E",
                                                  "%25", "%41", "%2f",  "%00", "b.c", "%c3",  "%a9",
                                                  "\\",  "%",   "/../", "/./", "//",  "%252e"};
  std::string path = "/";
  for (std::size_t i = random() % 12; i > 0; --i) path += kParts[random() % kParts.size()];
  return path;
}

TEST(NormalisePath, HoldsItsPromisesOnRandomPaths) {
  std::mt19937 random(1);
  int accepted = 0;
  for (int round = 0; round < 50000; ++round) {
    const std::string path = random_path(random);
    const std::string once = normalised(path);
    EXPECT_EQ(once[0] == '!', check_path(path) != Errc::kOk) << path;
    if (once[0] == '!') continue;
    ++accepted;
    ASSERT_EQ(once[0], '/') << path;
    ASSERT_LE(once.size(), path.size()) << path;
    const std::string inside = once + "/";
    for (const std::string_view segment : {"//", "/./", "/../"}) {
      // A trailing slash makes one empty segment of `inside`, and only that one.
      ASSERT_EQ(inside.find(segment),
                segment == "//" && once.back() == '/' ? once.size() - 1 : inside.npos)
          << path;
    }
    std::string again(once.size(), '\0');
    std::size_t size = 0;
    ASSERT_EQ(remove_dot_segments(once, again, size), Errc::kOk) << path;
    ASSERT_EQ(again.substr(0, size), once) << path;
  }
  EXPECT_GT(accepted, 1000);
}

TEST(RemoveDotSegments, WorksInPlace) {
  std::string path = "/a/./b/../c//d/";
  std::size_t size = 0;
  ASSERT_EQ(remove_dot_segments(path, path, size), Errc::kOk);
  EXPECT_EQ(path.substr(0, size), "/a/c/d/");
  EXPECT_EQ(remove_dot_segments("a", path, size), Errc::kBadTarget);
}

TEST(CheckQuery, WantsTwoHexDigitsBehindEveryPercent) {
  for (const std::string_view good : {"", "a=b", "%41", "a%0d%0ab", "%ff", "%25%25", "a=%7f"}) {
    EXPECT_EQ(check_query(good), Errc::kOk) << good;
  }
  for (const std::string_view bad : {"%", "%4", "a%", "%zz", "%%41", "%4%41"}) {
    EXPECT_EQ(check_query(bad), Errc::kBadEscape) << bad;
  }
  EXPECT_EQ(check_query("a=%00"), Errc::kEncodedControl);
}

TEST(DecodeComponent, DecodesIntoTheScratchAreaOnlyWhenItMust) {
  std::string scratch(64, '\0');
  const std::string_view plain = "abc";
  EXPECT_EQ(decode_component(plain, Plus::kSpace, {})->data(), plain.data());
  EXPECT_EQ(decode_component("a+b", Plus::kLiteral, {}).value(), "a+b");
  EXPECT_EQ(decode_component("a+b%2B", Plus::kSpace, scratch).value(), "a b+");
  EXPECT_EQ(decode_component("a+b%2B", Plus::kLiteral, scratch).value(), "a+b+");
  EXPECT_EQ(decode_component("%00%ff", Plus::kLiteral, scratch).value(), "\0\xff"s);
  EXPECT_EQ(decode_component("%2541", Plus::kLiteral, scratch).value(), "%41");
  EXPECT_EQ(decode_component("a%4", Plus::kLiteral, scratch).error(),
            make_error_code(Errc::kBadEscape));
}

TEST(SplitTarget, KnowsThreeForms) {
  Target target;
  ASSERT_EQ(split_target("/a/b?c=d?e", Method::kGet, target), Errc::kOk);
  EXPECT_EQ(target.form, TargetForm::kOrigin);
  EXPECT_EQ(target.path, "/a/b");
  EXPECT_EQ(target.query, "c=d?e");
  EXPECT_TRUE(target.has_query);
  EXPECT_EQ(target.authority, "");

  ASSERT_EQ(split_target("hTTps://h:1/p?", Method::kGet, target), Errc::kOk);
  EXPECT_EQ(target.form, TargetForm::kAbsolute);
  EXPECT_TRUE(target.secure);
  EXPECT_EQ(target.authority, "h:1");
  EXPECT_EQ(target.path, "/p");
  EXPECT_TRUE(target.has_query);
  EXPECT_EQ(target.query, "");

  ASSERT_EQ(split_target("*", Method::kOptions, target), Errc::kOk);
  EXPECT_EQ(target.form, TargetForm::kAsterisk);
  EXPECT_EQ(target.path, "*");
  EXPECT_FALSE(target.has_query);
}

TEST(SplitTarget, GivesAnAbsoluteFormWithoutPathOne) {
  Target target;
  ASSERT_EQ(split_target("http://h", Method::kGet, target), Errc::kOk);
  EXPECT_EQ(target.path, "/");
  ASSERT_EQ(split_target("http://h", Method::kOptions, target), Errc::kOk);
  EXPECT_EQ(target.path, "*");
  ASSERT_EQ(split_target("http://h?q", Method::kOptions, target), Errc::kOk);
  EXPECT_EQ(target.path, "/");
}

TEST(SplitTarget, RefusesEveryByteThatNoUriHolds) {
  Target target;
  for (int value = 0; value < 256; ++value) {
    const bool good = value > 0x20 && value < 0x7F &&
                      "\"#<>\\"s.find(static_cast<char>(value)) == std::string::npos;
    const std::string text = "/a"s + static_cast<char>(value) + "b";
    EXPECT_EQ(split_target(text, Method::kGet, target), good ? Errc::kOk : Errc::kBadTarget)
        << value;
  }
}

TEST(Authority, IsHostAndPort) {
  Authority authority;
  ASSERT_EQ(parse_authority("a.example:8080", authority), Errc::kOk);
  EXPECT_EQ(authority.host, "a.example");
  EXPECT_EQ(authority.port, 8080);
  ASSERT_EQ(parse_authority("[2001:db8::1]:443", authority), Errc::kOk);
  EXPECT_EQ(authority.host, "[2001:db8::1]");
  EXPECT_EQ(authority.port, 443);
  ASSERT_EQ(parse_authority("a", authority), Errc::kOk);
  EXPECT_EQ(authority.port, 0);
  ASSERT_EQ(parse_authority("a:00080", authority), Errc::kOk);
  EXPECT_EQ(authority.port, 80);
}

TEST(Authority, ReadsOnlyItsBytes) {
  for (const std::string_view text :
       {"a", "a:", "a:1", "[::1]", "[::1", "[", "a.example.org:65535"}) {
    const ssx::test::GuardedBytes guarded(text);
    Authority authority;
    EXPECT_EQ(parse_authority(guarded.text(), authority) == Errc::kOk,
              text != "[::1" && text != "[")
        << text;
  }
}

TEST(Authority, TakesLinearTimeForALongLiteral) {
  Authority authority;
  std::string text = "[";
  for (int i = 0; i < 20000; ++i) text += "1:";
  EXPECT_EQ(parse_authority(text + "1]", authority), Errc::kBadHost);
}

}  // namespace
}  // namespace ssx::http
