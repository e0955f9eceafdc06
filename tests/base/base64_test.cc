#include "ssxrver/base/base64.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <string_view>

namespace ssx {
namespace {

using namespace std::string_literals;

std::string encoded(std::string_view bytes, Base64 alphabet) {
  return base64_encode(as_bytes(bytes), alphabet);
}
bool is_refused(std::string_view text, Base64 alphabet) {
  const auto bytes = base64_decode(text, alphabet);
  return !bytes && bytes.error() == make_error_code(Errc::kMalformed);
}

// RFC 4648 10.
TEST(Base64, GivesThePublishedTexts) {
  const struct {
    std::string_view bytes, standard, url;
  } rows[] = {{"", "", ""},
              {"f", "Zg==", "Zg"},
              {"fo", "Zm8=", "Zm8"},
              {"foo", "Zm9v", "Zm9v"},
              {"foob", "Zm9vYg==", "Zm9vYg"},
              {"fooba", "Zm9vYmE=", "Zm9vYmE"},
              {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
              {"\xfb\xff\xbf", "+/+/", "-_-_"},
              {"\x14\xfb\x9c\x03\xd9\x7e", "FPucA9l+", "FPucA9l-"}};
  for (const auto& row : rows) {
    EXPECT_EQ(encoded(row.bytes, Base64::kStandard), row.standard);
    EXPECT_EQ(encoded(row.bytes, Base64::kUrl), row.url);
    EXPECT_EQ(base64_decode(row.standard, Base64::kStandard).value(), row.bytes);
    EXPECT_EQ(base64_decode(row.url, Base64::kUrl).value(), row.bytes);
  }
  std::string out = "Basic ";
  append_base64(out, as_bytes("Aladdin:open sesame"), Base64::kStandard);
  EXPECT_EQ(out, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST(Base64, RefusesEveryByteOfNoDigit) {
  std::set<char> standard, url;
  for (int value = 0; value < 256; ++value) {
    const std::string text = "AA"s + static_cast<char>(value) + "A";
    if (!is_refused(text, Base64::kStandard)) standard.insert(static_cast<char>(value));
    if (!is_refused(text, Base64::kUrl)) url.insert(static_cast<char>(value));
  }
  EXPECT_EQ(standard.size(), 64U);
  EXPECT_EQ(url.size(), 64U);
  EXPECT_TRUE(standard.contains('+') && standard.contains('/'));
  EXPECT_TRUE(url.contains('-') && url.contains('_'));
}

TEST(Base64, RefusesWrongPadding) {
  for (const std::string_view text :
       {"Z", "Zg", "Zg=", "Zg===", "Zm8", "Zm8==", "Zm9v=", "=",
        "==", "====", "Zg==Zg==", "Z===", "Zg=a", "Zm9vY", " Zg==", "Zg==\n", "Zm9v Zm9v"}) {
    EXPECT_TRUE(is_refused(text, Base64::kStandard)) << text;
  }
  for (const std::string_view text : {"Z", "Zg==", "Zg=", "Zm8=", "Zm9vY", "Zg "}) {
    EXPECT_TRUE(is_refused(text, Base64::kUrl)) << text;
  }
}

TEST(Base64, RefusesBitsThatNoByteHolds) {
  EXPECT_TRUE(is_refused("Zh==", Base64::kStandard));
  EXPECT_TRUE(is_refused("Zm9=", Base64::kStandard));
  EXPECT_TRUE(is_refused("Zh", Base64::kUrl));
  EXPECT_TRUE(is_refused("Zm9", Base64::kUrl));
}

TEST(Base64, ComesBackFromEverySize) {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 300; ++size) {
    std::string bytes;
    while (bytes.size() < size) bytes += static_cast<char>(random());
    for (const Base64 alphabet : {Base64::kStandard, Base64::kUrl}) {
      ASSERT_EQ(base64_decode(encoded(bytes, alphabet), alphabet).value(), bytes);
    }
  }
}

}  // namespace
}  // namespace ssx
