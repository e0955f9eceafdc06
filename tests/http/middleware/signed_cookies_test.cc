#include "http/middleware/signed_cookies.h"

#include <string>

#include "http/fault.h"
#include "http/signed_value.h"
#include "tests/http/middleware/middleware_fixture.h"

namespace ssx::http::test {
namespace {

using ssx::make_error_code;
using Options = SignedCookieOptions;

const std::string kKey = "a key of 22 bytes, one";
const std::string kOldKey = "a key of 22 bytes, two";

Options of(std::vector<std::string> keys = {kKey}) {
  return {.keys = std::move(keys), .names = {"user", "theme"}, .max_age = 100s};
}

class SignedCookiesTest : public MiddlewareTest {
 protected:
  void build(const Options& options_) {
    auto made = SignedCookies::create(options_);
    ASSERT_TRUE(made.has_value()) << made.error().message();
    surround(made->middleware());
    add(Method::kGet, "/", [](const Request& r) {
      return std::string(signed_cookie(r, "user").value_or("none")) + "/" +
             std::string(signed_cookie(r, "theme").value_or("none"));
    });
    add(Method::kGet, "/set", [made](const Request& r) -> Response {
      Response answer("set");
      const auto set = made->set(answer, *r.query("name"), *r.query("value"));
      return set ? std::move(answer) : answer_to_error(r, set.error());
    });
    add(Method::kGet, "/clear", [made](const Request& r) -> Response {
      Response answer("cleared");
      const auto cleared = made->clear(answer, *r.query("name"));
      return cleared ? std::move(answer) : answer_to_error(r, cleared.error());
    });
  }
  std::string come_with(std::string_view cookies) {
    return ask(get("/", "Cookie: " + std::string(cookies) + "\r\n")).body;
  }
  /// "user=SIGNED" as a browser would send it back.
  std::string given(std::string_view name, std::string_view value) {
    const std::string query = "name=" + std::string(name) + "&value=" + std::string(value);
    const std::string field = ask(get("/set?" + query)).field("Set-Cookie");
    return field.substr(0, field.find(';'));
  }
  [[nodiscard]] std::string sign(const std::string& key, std::string_view purpose,
                                 std::string_view value, seconds more = 100s) const {
    return ValueSigner::create({key})->sign(purpose, value, clock.wall_now() + more);
  }
};

TEST_F(SignedCookiesTest, ComeBackAsTheyWereSet) {
  build(of());
  const std::string user = given("user", "ann%3B%01%FF");
  const std::string theme = given("theme", "");
  EXPECT_EQ(come_with(user), "ann;\x01\xff/none");
  EXPECT_EQ(come_with(theme + "; " + user), "ann;\x01\xff/");
  EXPECT_EQ(ask(get("/")).body, "none/none");
  EXPECT_EQ(refused(Errc::kBadSignature), 0U);
}

TEST_F(SignedCookiesTest, AreSetForWhomTheyAreMeant) {
  build(of());
  const std::string field = ask(get("/set?name=user&value=ann")).field("Set-Cookie");
  EXPECT_EQ(field, "user=" + sign(kKey, "user", "ann") +
                       "; Path=/; Max-Age=100; Secure; HttpOnly; SameSite=Lax");
  EXPECT_EQ(ask(get("/clear?name=user")).field("Set-Cookie"),
            "user=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax");
}

TEST_F(SignedCookiesTest, AreSetAsTheOptionsSay) {
  Options options_ = of();
  options_.path = "/app";
  options_.domain = "a.example";
  options_.secure = options_.http_only = false;
  options_.same_site = SameSite::kStrict;
  build(options_);
  const std::string field = ask(get("/set?name=user&value=ann")).field("Set-Cookie");
  EXPECT_EQ(field.substr(field.find(';')),
            "; Path=/app; Domain=a.example; Max-Age=100; SameSite=Strict");
}

TEST_F(SignedCookiesTest, ThatWereChangedAreNotThere) {
  build(of());
  const std::string user = given("user", "ann");
  std::string changed = user;
  changed[5] = 'B';
  EXPECT_EQ(come_with(changed), "none/none");
  EXPECT_EQ(come_with("user=ann"), "none/none");
  EXPECT_EQ(come_with("user="), "none/none");
  EXPECT_EQ(come_with(user.substr(0, user.size() - 1)), "none/none");
  EXPECT_EQ(refused(Errc::kBadSignature), 4U);
}

TEST_F(SignedCookiesTest, OfAnotherNameAreNotThere) {
  build(of());
  EXPECT_EQ(come_with("theme=" + sign(kKey, "user", "ann")), "none/none");
  EXPECT_EQ(come_with("user=" + sign(kKey, "admin", "ann")), "none/none");
  EXPECT_EQ(refused(Errc::kBadSignature), 2U);
  EXPECT_EQ(come_with("admin=" + sign(kKey, "admin", "ann")), "none/none");  // nobody's business
  EXPECT_EQ(refused(Errc::kBadSignature), 2U);
}

TEST_F(SignedCookiesTest, EndWithTheirTimeWhateverTheClientKeeps) {
  build(of());
  const std::string user = given("user", "ann");
  advance(100s);
  EXPECT_EQ(come_with(user), "ann/none");
  advance(1s);
  EXPECT_EQ(come_with(user), "none/none");
  EXPECT_EQ(refused(Errc::kSignatureExpired), 1U);
  EXPECT_EQ(refused(Errc::kBadSignature), 0U);
}

TEST_F(SignedCookiesTest, OutliveTheKeyThatSignedThem) {
  build(of({kKey, kOldKey}));
  EXPECT_EQ(come_with("user=" + sign(kOldKey, "user", "ann")), "ann/none");
  EXPECT_EQ(given("user", "ann"), "user=" + sign(kKey, "user", "ann"));
  EXPECT_EQ(come_with("user=" + sign("a key of 22 bytes, 333", "user", "ann")), "none/none");
}

// Whoever can set cookies for the domain cannot push a good one out of sight.
TEST_F(SignedCookiesTest, TheFirstGoodOneOfANameCounts) {
  build(of());
  const std::string ann = "user=" + sign(kKey, "user", "ann");
  const std::string bob = "user=" + sign(kKey, "user", "bob");
  EXPECT_EQ(come_with("user=forged; " + ann + "; " + bob), "ann/none");
  EXPECT_EQ(ask(get("/", "Cookie: user=forged\r\nCookie: " + bob + "\r\n")).body, "bob/none");
}

TEST_F(SignedCookiesTest, AreLookedForAmongSoMany) {
  build(of());
  const std::string good = "user=" + sign(kKey, "user", "ann");
  std::string bad;
  for (std::size_t i = 0; i + 2 < Options::kTriesMax; ++i) bad += "user=x; ";
  EXPECT_EQ(come_with(bad + good), "ann/none");
  EXPECT_EQ(come_with(bad + "user=x; " + good), "ann/none");
  EXPECT_EQ(come_with(bad + "user=x; user=x; " + good), "none/none");
  std::string pairs;
  for (std::size_t i = 0; i < options.cookie_pairs_max; ++i) pairs += "a=b; ";
  EXPECT_EQ(come_with(pairs + good), "none/none");
  EXPECT_EQ(refused(Errc::kTooManyCookies), 1U);
}

TEST_F(SignedCookiesTest, HoldSoManyBytes) {
  build(of());
  for (const std::size_t size : {Options::kValueMax - 1, Options::kValueMax}) {
    const std::string value(size, 'v');
    EXPECT_EQ(come_with(given("user", value)), value + "/none") << size;
  }
  EXPECT_EQ(ask(get("/set?name=user&value=" + std::string(Options::kValueMax + 1, 'v'))).status,
            500);
  const std::string longer = sign(kKey, "user", std::string(Options::kValueMax + 100, 'v'));
  EXPECT_EQ(come_with("user=" + longer), "none/none");
  EXPECT_EQ(refused(Errc::kBadSignature), 1U);
}

TEST_F(SignedCookiesTest, AreSetUnderTheirNamesOnly) {
  build(of());
  for (const char* what : {"set", "clear"}) {
    const auto answer = ask(get("/" + std::string(what) + "?name=other&value=x"));
    EXPECT_EQ(answer.status, 500) << what;
    EXPECT_EQ(answer.count("Set-Cookie"), 0U) << what;
  }
}

TEST(SignedCookies, MayHaveATimeOfTheirOwn) {
  const auto cookies = *SignedCookies::create(of());
  Response answer;
  EXPECT_TRUE(cookies.set(answer, "user", "x", 1s));
  EXPECT_NE(answer.fields().find("Max-Age=1;"), std::string_view::npos);
  EXPECT_TRUE(cookies.set(answer, "user", "x", Options::kMaxAgeMax));
  for (const seconds age : {seconds(0), Options::kMaxAgeMax + 1s}) {
    const auto set = cookies.set(answer, "user", "x", age);
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error(), make_error_code(ssx::Errc::kInvalidArgument));
  }
}

TEST(SignedCookies, AreOfSomeNameThatACookieMayHave) {
  const auto refusal = [](const std::vector<std::string>& names, bool secure = true) {
    Options options = of();
    options.names = names;
    options.secure = secure;
    const auto made = SignedCookies::create(options);
    return made ? std::error_code() : made.error().code();
  };
  const auto bad_cookie = make_error_code(Errc::kBadCookie);
  const auto bad_argument = make_error_code(ssx::Errc::kInvalidArgument);
  EXPECT_EQ(refusal({"a b"}), bad_cookie);
  EXPECT_EQ(refusal({""}), bad_cookie);
  EXPECT_EQ(refusal({"a", "b", "a"}), bad_cookie);
  EXPECT_EQ(refusal({"__Host-a"}), std::error_code());
  EXPECT_EQ(refusal({"__Host-a"}, false), bad_cookie);
  EXPECT_EQ(refusal({std::string(Options::kNameMax, 'a')}), std::error_code());
  EXPECT_EQ(refusal({std::string(Options::kNameMax + 1, 'a')}), bad_argument);
  EXPECT_EQ(refusal({}), bad_argument);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < Options::kNamesMax; ++i) names.push_back("n" + std::to_string(i));
  EXPECT_EQ(refusal(names), std::error_code());
  names.emplace_back("more");
  EXPECT_EQ(refusal(names), bad_argument);
}

TEST(SignedCookies, HaveKeysAndAnAge) {
  EXPECT_EQ(SignedCookies::create(of({"short"})).error(), make_error_code(Errc::kBadSigningKey));
  EXPECT_EQ(SignedCookies::create(of({})).error(), make_error_code(Errc::kBadSigningKey));
  Options options = of();
  for (const seconds age : {seconds(0), Options::kMaxAgeMax + 1s}) {
    options.max_age = age;
    EXPECT_FALSE(SignedCookies::create(options)) << age.count();
  }
  for (const seconds age : {seconds(1), Options::kMaxAgeMax}) {
    options.max_age = age;
    EXPECT_TRUE(SignedCookies::create(options)) << age.count();
  }
}

}  // namespace
}  // namespace ssx::http::test
