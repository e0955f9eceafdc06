#include "ssxrver/crypt/password_hash.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace ssx::crypt {
namespace {

constexpr std::string_view kPassword = "Open, Sesame";

constexpr const char* kSha512 =
    "$6$I40Dd6XrSwypMmDm$WE6mLkfYD1ddtF02/1Ut7l/a0hkDxgo07m.I/.7A5hyCfx1eFTVvU/"
    "efMw69KBMhVZbhiHN2PRnmI4kekPoCj.";

// Of kPassword, made by htpasswd (-m, -B, -s, -2, -5) and by crypt(3).
constexpr const char* kHashes[] = {
    "$apr1$qvgwKDAd$3.tzr24SeCC1aY05PDkis1",
    "$2y$05$89cVY3mh1uJepooGFigOxu75G7XzmQz9p4e6ErU9vorakl0aTDBr6",
    "{SHA}YIK7HrVpOyhEYF30C9Lbh/rpGj0=",
    "$5$x6f.d7Lu1FFk7DMu$WFJwpOLIIJ3IdMAof0Jb76sMftTGslyv9wfy9IBa052",
    kSha512,
    "$5$rounds=1000$saltsalt$x6hbuUaYIZ.4H8E60CMhBD7ZcgNSZ/RkeX8xPNlEjoB",
    "$y$j9T$F5Jx5fExrKuPp53xLKQ..1$fzoGQ91tWP4FPzm1LNgUqEsQI94rq9oEKNbg4yaPCr3",
};

TEST(PasswordHash, KnowsThePasswordOfEachKind) {
  for (const char* text : kHashes) {
    const auto hash = PasswordHash::parse(text);
    ASSERT_TRUE(hash) << text;
    EXPECT_TRUE(hash->matches(kPassword)) << text;
    for (const std::string_view wrong : {"", "Open, Sesam", "Open, Sesame ", "open, Sesame"})
      EXPECT_FALSE(hash->matches(wrong)) << text << " " << wrong;
  }
}

TEST(PasswordHash, DoesNotStopAtAZero) {
  for (const char* text : kHashes) {
    EXPECT_FALSE(PasswordHash::parse(text)->matches(std::string(kPassword) + '\0' + "x")) << text;
    EXPECT_FALSE(PasswordHash::parse(text)->matches(std::string(kPassword) + '\0')) << text;
  }
}

TEST(PasswordHash, RefusesWhatIsCutOrLonger) {
  for (const std::string text : kHashes) {
    for (std::size_t size = 0; size < text.size(); ++size)
      EXPECT_FALSE(PasswordHash::parse(text.substr(0, size))) << text.substr(0, size);
    EXPECT_FALSE(PasswordHash::parse(text + "a")) << text;
    EXPECT_FALSE(PasswordHash::parse(text + ":")) << text;
  }
}

TEST(PasswordHash, RefusesOtherKindsAndOtherLetters) {
  for (const char* text :
       {"", "plain", "$", "$$", "$1$abcdefgh$irWbblnpmw.5z7wgBnprh0", "rl4Gx0g5eTbpc",
        "{sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08}",
        "$apr1$qvgwKDA!$3.tzr24SeCC1aY05PDkis1", "$apr1$123456789$3.tzr24SeCC1aY05PDkis1",
        "$2x$05$89cVY3mh1uJepooGFigOxu75G7XzmQz9p4e6ErU9vorakl0aTDBr6",
        "$2y$5a$89cVY3mh1uJepooGFigOxu75G7XzmQz9p4e6ErU9vorakl0aTDBr6",
        "$5$12345678901234567$WFJwpOLIIJ3IdMAof0Jb76sMftTGslyv9wfy9IBa052",
        "$5$rounds=$saltsalt$x6hbuUaYIZ.4H8E60CMhBD7ZcgNSZ/RkeX8xPNlEjoB",
        "$y$$F5Jx5fExrKuPp53xLKQ..1$fzoGQ91tWP4FPzm1LNgUqEsQI94rq9oEKNbg4yaPCr3",
        "{SHA}YIK7HrVpOyhEYF30C9Lbh/rpGj0", "{SHA}!!!!"}) {
    EXPECT_FALSE(PasswordHash::parse(text)) << text;
  }
}

std::string bcrypt(const std::string& cost) {
  return "$2y$" + cost + "$89cVY3mh1uJepooGFigOxu75G7XzmQz9p4e6ErU9vorakl0aTDBr6";
}
std::string rounds(unsigned count) {
  return "$5$rounds=" + std::to_string(count) +
         "$saltsalt$x6hbuUaYIZ.4H8E60CMhBD7ZcgNSZ/RkeX8xPNlEjoB";
}
std::string yescrypt(const std::string& cost) {
  return "$y$" + cost + "$F5Jx5fExrKuPp53xLKQ..1$fzoGQ91tWP4FPzm1LNgUqEsQI94rq9oEKNbg4yaPCr3";
}

TEST(PasswordHash, HasBoundsForWhatAHashMayCost) {
  EXPECT_FALSE(PasswordHash::parse(bcrypt("03")));
  EXPECT_TRUE(PasswordHash::parse(bcrypt("04")));
  EXPECT_TRUE(PasswordHash::parse(bcrypt("13")));
  EXPECT_TRUE(PasswordHash::parse(bcrypt("14")));
  EXPECT_FALSE(PasswordHash::parse(bcrypt("15")));
  EXPECT_FALSE(PasswordHash::parse(rounds(999)));
  EXPECT_TRUE(PasswordHash::parse(rounds(1000)));
  EXPECT_TRUE(PasswordHash::parse(rounds(999'999)));
  EXPECT_TRUE(PasswordHash::parse(rounds(1'000'000)));
  EXPECT_FALSE(PasswordHash::parse(rounds(1'000'001)));
  EXPECT_TRUE(PasswordHash::parse(yescrypt("jBT")));
  EXPECT_TRUE(PasswordHash::parse(yescrypt("jCT")));
  EXPECT_FALSE(PasswordHash::parse(yescrypt("jDT")));
}

TEST(PasswordHash, ALongPasswordMatchesNothing) {
  // SHA-1 of 511 and of 512 letters, as `htpasswd -s` would write them.
  const auto hash = PasswordHash::parse("{SHA}SLD8m4UVwdvMi3gRr/r6Zd+kY6k=");
  const auto longer = PasswordHash::parse("{SHA}jViCDGZyqPFo17U+cHuBdd5zRas=");
  ASSERT_TRUE(hash && longer);
  EXPECT_TRUE(hash->matches(std::string(PasswordHash::kPasswordMax, 'x')));
  EXPECT_FALSE(longer->matches(std::string(PasswordHash::kPasswordMax + 1, 'x')));
}

}  // namespace
}  // namespace ssx::crypt
