#include "http/signed_value.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ssx::http {
namespace {

using namespace std::string_literals;
using std::chrono::seconds;

const std::string kOld = "an old key of 22 bytes";
const std::string kNew = "a new key of 22 bytes.";

WallTime at(std::int64_t time) { return WallTime(seconds(time)); }
ValueSigner signer(const std::vector<std::string>& keys) {
  return ValueSigner::create(keys).value();
}
std::string verified(const ValueSigner& with, std::string_view purpose, std::string_view text,
                     std::int64_t now) {
  const auto value = with.verify(purpose, text, at(now));
  return value ? *value : "!" + value.error().code().message();
}
std::string refused(Errc code) { return "!" + std::string(to_string(code)); }

TEST(ValueSigner, GivesBackWhatItSigned) {
  const ValueSigner one = signer({kNew});
  for (const std::string& value : {""s, "user=1"s, "\0\xff.;"s, std::string(5000, 'x')}) {
    const std::string text = one.sign("session", value, at(1000));
    EXPECT_EQ(verified(one, "session", text, 999), value);
    EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789-_."),
              std::string::npos);
  }
}

// The format is a promise: what was signed before an update is good after it. The signature was
// made by Python's hmac module.
TEST(ValueSigner, KeepsItsFormat) {
  EXPECT_EQ(signer({"0123456789abcdef"}).sign("session", "user=1", at(1700000000)),
            "dXNlcj0x.1700000000.W8VycAbUP-rpU08nhs29WvB_u7tZJnbJ3UWF9EvrPEU");
}

TEST(ValueSigner, EndsWithItsTime) {
  const ValueSigner one = signer({kNew});
  const std::string text = one.sign("s", "v", at(1000));
  EXPECT_EQ(verified(one, "s", text, 999), "v");
  EXPECT_EQ(verified(one, "s", text, 1000), "v");
  EXPECT_EQ(verified(one, "s", text, 1001), refused(Errc::kSignatureExpired));
  EXPECT_EQ(verified(one, "s", one.sign("s", "v", at(-5)), 0), "v");
  EXPECT_EQ(verified(one, "s", one.sign("s", "v", at(-5)), 1), refused(Errc::kSignatureExpired));
}

TEST(ValueSigner, RefusesEveryChange) {
  const ValueSigner one = signer({kNew});
  const std::string text = one.sign("session", "user=1", at(1000));
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char byte : {'A', 'B', '0', '9', '.', '-', '_', '=', ' ', '\0'}) {
      std::string other = text;
      other[i] = byte;
      if (other == text) continue;
      EXPECT_EQ(verified(one, "session", other, 0), refused(Errc::kBadSignature)) << other;
    }
    EXPECT_EQ(verified(one, "session", text.substr(0, i), 0), refused(Errc::kBadSignature)) << i;
    EXPECT_EQ(verified(one, "session", text.substr(i + 1), 0), refused(Errc::kBadSignature)) << i;
  }
  EXPECT_EQ(verified(one, "session", text + "A", 0), refused(Errc::kBadSignature));
  EXPECT_EQ(verified(one, "session", text + "=", 0), refused(Errc::kBadSignature));
}

TEST(ValueSigner, SignsForOnePurpose) {
  const ValueSigner one = signer({kNew});
  const std::string text = one.sign("theme", "admin", at(1000));
  EXPECT_EQ(verified(one, "role", text, 0), refused(Errc::kBadSignature));
  EXPECT_EQ(verified(one, "", text, 0), refused(Errc::kBadSignature));
}

TEST(ValueSigner, TurnsItsKeysOver) {
  const std::string old_text = signer({kOld}).sign("s", "v", at(1000));
  const ValueSigner both = signer({kNew, kOld});
  EXPECT_EQ(verified(both, "s", old_text, 0), "v");
  const std::string new_text = both.sign("s", "v", at(1000));
  EXPECT_NE(new_text, old_text);
  EXPECT_EQ(new_text, signer({kNew}).sign("s", "v", at(1000)));
  EXPECT_EQ(verified(signer({kNew}), "s", new_text, 0), "v");
  EXPECT_EQ(verified(signer({kNew}), "s", old_text, 0), refused(Errc::kBadSignature));
}

TEST(ValueSigner, WantsKeysThatNobodyGuesses) {
  const auto works = [](std::size_t count, std::size_t size) {
    const auto made = ValueSigner::create(std::vector<std::string>(count, std::string(size, 'k')));
    EXPECT_TRUE(made || made.error() == make_error_code(Errc::kBadSigningKey));
    return made.has_value();
  };
  EXPECT_FALSE(works(0, 32));
  EXPECT_FALSE(works(1, ValueSigner::kKeySizeMin - 1));
  EXPECT_TRUE(works(1, ValueSigner::kKeySizeMin));
  EXPECT_TRUE(works(1, 200));
  EXPECT_TRUE(works(ValueSigner::kKeysMax, 32));
  EXPECT_FALSE(works(ValueSigner::kKeysMax + 1, 32));
  EXPECT_FALSE(ValueSigner::create({kNew, ""}));
}

}  // namespace
}  // namespace ssx::http
