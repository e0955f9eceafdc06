#include "http/url.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/guard_page.h"

namespace ssx::http {
namespace {

using namespace std::string_literals;

// The URL in its normal form, or "!" and the reason.
std::string shown(const Result<Url>& url) {
  return url ? url->text() : "!" + url.error().code().message();
}
std::string parsed(std::string_view text) { return shown(Url::parse(text)); }
std::string resolved(std::string_view base, std::string_view reference) {
  return shown(Url::parse(base).value().resolve(reference));
}
std::string refused(Errc code) { return "!" + std::string(to_string(code)); }

TEST(Url, HasParts) {
  const Url url = Url::parse("HTTPS://A.Example:8443/p/q.html?x=1&y#part").value();
  EXPECT_EQ(url.text(), "https://a.example:8443/p/q.html?x=1&y");
  EXPECT_EQ(url.scheme(), "https");
  EXPECT_TRUE(url.is_secure());
  EXPECT_EQ(url.host(), "a.example");
  EXPECT_EQ(url.port(), 8443);
  EXPECT_EQ(url.authority(), "a.example:8443");
  EXPECT_EQ(url.origin(), "https://a.example:8443");
  EXPECT_EQ(url.target(), "/p/q.html?x=1&y");
  EXPECT_EQ(url.path(), "/p/q.html");
  EXPECT_EQ(url.query(), "x=1&y");
}

TEST(Url, KnowsTheUsualPorts) {
  const struct {
    std::string_view text, authority;
    int port;
  } rows[] = {{"http://a", "a", 80},
              {"https://a", "a", 443},
              {"http://a:80/", "a", 80},
              {"https://a:443", "a", 443},
              {"http://a:443", "a:443", 443},
              {"http://a:", "a", 80},
              {"http://a:00080", "a", 80},
              {"http://[::1]:8080", "[::1]:8080", 8080},
              {"http://127.0.0.1:1", "127.0.0.1:1", 1}};
  for (const auto& row : rows) {
    const auto url = Url::parse(row.text);
    ASSERT_TRUE(url) << row.text;
    EXPECT_EQ(url->authority(), row.authority) << row.text;
    EXPECT_EQ(url->port(), row.port) << row.text;
    EXPECT_EQ(url->target(), "/") << row.text;
  }
}

TEST(Url, NamesAnIpv6AddressWithoutItsBrackets) {
  const Url url = Url::parse("http://[2001:DB8::1]:81/x").value();
  EXPECT_EQ(url.host(), "2001:db8::1");
  EXPECT_EQ(url.authority(), "[2001:db8::1]:81");
  EXPECT_EQ(Url::parse("http://[::ffff:10.0.0.1]").value().host(), "::ffff:10.0.0.1");
}

TEST(Url, IsNormal) {
  const struct {
    std::string_view text, expected;
  } rows[] = {{"http://a?q", "http://a/?q"},        {"http://a#f", "http://a/"},
              {"http://a/#f?q", "http://a/"},       {"http://a/b?", "http://a/b?"},
              {"http://a/./b/../c", "http://a/c"},  {"http://a/..", "http://a/"},
              {"http://a/b/..", "http://a/"},       {"http://a/b/.", "http://a/b/"},
              {"http://a/../../b", "http://a/b"},   {"http://a//b///c", "http://a//b///c"},
              {"http://a//../b", "http://a/b"},     {"http://a/b?c=/../d", "http://a/b?c=/../d"},
              {"http://a/b?c?d", "http://a/b?c?d"}, {"http://A.B./%7Ec%2f", "http://a.b./%7Ec%2f"},
              {"http://a/b#f r a g", "http://a/b"}};
  for (const auto& row : rows) EXPECT_EQ(parsed(row.text), row.expected) << row.text;
}

TEST(Url, RefusesWhatIsNone) {
  for (const std::string_view text : {"",
                                      "a",
                                      "/a",
                                      "//a/b",
                                      "http",
                                      "http:",
                                      "http:/",
                                      "http://",
                                      "http:///a",
                                      "http:a/b",
                                      "http://?q",
                                      "http://:80",
                                      "http://a:0",
                                      "http://a:65536",
                                      "http://a:x",
                                      "http://a b/",
                                      "http://a/b c",
                                      "http://a/\r\nX: y",
                                      "http://a/\t",
                                      "http://a/\xc3\xa9",
                                      "http://[::1",
                                      "http://[::1]x",
                                      "http://[g::]",
                                      "http://[fe80::1%25eth0]",
                                      "http://a..b/",
                                      "http://a\\b",
                                      "http://a/\\b",
                                      "http://a%62/",
                                      "http://a,b/",
                                      ":http://a",
                                      "1http://a"}) {
    EXPECT_EQ(parsed(text), refused(Errc::kBadUrl)) << text;
  }
  EXPECT_EQ(parsed("http://a/\0"s), refused(Errc::kBadUrl));
}

TEST(Url, RefusesUserInformation) {
  for (const std::string_view text :
       {"http://u@a/", "http://u:p@a/", "http://@a/", "http://a@b@c/", "http://a.example:80@b/"}) {
    EXPECT_EQ(parsed(text), refused(Errc::kBadUrl)) << text;
  }
  EXPECT_EQ(parsed("http://a/u@b"), "http://a/u@b");
}

TEST(Url, RefusesOtherSchemes) {
  for (const std::string_view text :
       {"ftp://a/", "file:///etc/passwd", "javascript:x", "httpss://a", "ws://a", "a+b-c.1:x"}) {
    EXPECT_EQ(parsed(text), refused(Errc::kUnsupportedScheme)) << text;
  }
}

TEST(Url, RefusesMalformedEscapes) {
  for (const std::string_view text :
       {"http://a/%", "http://a/%4", "http://a/?%zz", "http://a/%%41"}) {
    EXPECT_EQ(parsed(text), refused(Errc::kBadEscape)) << text;
  }
}

// A resolver would read each of these as an address, and every one as another than a reader does.
TEST(Url, RefusesHostsThatOnlyLookLikeAddresses) {
  for (const std::string_view host :
       {"2130706433", "127.1", "0x7f.0.0.1", "0x7f000001", "0X7F.1", "017700000001", "127.0.0.01",
        "127.0.0.256", "1.2.3.4.5", "1.2.3", "a.1", "a.0x", "1.2.3.4.5.", "00.0.0.0"}) {
    EXPECT_EQ(parsed("http://" + std::string(host)), refused(Errc::kBadUrl)) << host;
  }
  for (const std::string_view host :
       {"127.0.0.1", "255.255.255.255", "1a", "1.2.3.4a", "0xg", "x0"}) {
    EXPECT_EQ(parsed("http://" + std::string(host)), "http://" + std::string(host) + "/") << host;
  }
}

TEST(Url, HasALongestText) {
  const std::string front = "http://a/";
  for (const std::size_t size : {Url::kSizeMax - 1, Url::kSizeMax}) {
    EXPECT_TRUE(Url::parse(front + std::string(size - front.size(), 'x'))) << size;
  }
  const std::string long_text = front + std::string(Url::kSizeMax + 1 - front.size(), 'x');
  EXPECT_EQ(parsed(long_text), refused(Errc::kUrlTooLong));
  EXPECT_EQ(resolved("http://a", long_text), refused(Errc::kUrlTooLong));
  const std::string folder = front + std::string(Url::kSizeMax - 1 - front.size(), 'x') + "/";
  EXPECT_EQ(resolved(folder, ""), folder);
  EXPECT_EQ(resolved(folder, "y"), refused(Errc::kUrlTooLong));
  // Grows by the "/" that the normal form has.
  EXPECT_EQ(parsed("http://a?" + std::string(Url::kSizeMax - 9, 'x')), refused(Errc::kUrlTooLong));
}

TEST(Url, HasALongestHost) {
  const auto host = [](std::size_t size) {
    std::string name;
    while (name.size() < size) name += name.size() % 50 == 49 ? '.' : 'a';
    return name;
  };
  EXPECT_TRUE(Url::parse("http://" + host(Url::kHostMax - 1)));
  EXPECT_TRUE(Url::parse("http://" + host(Url::kHostMax)));
  EXPECT_EQ(parsed("http://" + host(Url::kHostMax + 1)), refused(Errc::kBadUrl));
}

// RFC 3986 5.4.1 and 5.4.2, without the rows of other schemes, and without fragments.
TEST(Url, ResolvesAsTheExamplesOfRfc3986) {
  const struct {
    std::string_view reference, expected;
  } rows[] = {{"g", "http://a/b/c/g"},
              {"./g", "http://a/b/c/g"},
              {"g/", "http://a/b/c/g/"},
              {"/g", "http://a/g"},
              {"//g", "http://g/"},
              {"?y", "http://a/b/c/d;p?y"},
              {"g?y", "http://a/b/c/g?y"},
              {"#s", "http://a/b/c/d;p?q"},
              {"g#s", "http://a/b/c/g"},
              {"g?y#s", "http://a/b/c/g?y"},
              {";x", "http://a/b/c/;x"},
              {"g;x", "http://a/b/c/g;x"},
              {"g;x?y#s", "http://a/b/c/g;x?y"},
              {"", "http://a/b/c/d;p?q"},
              {".", "http://a/b/c/"},
              {"./", "http://a/b/c/"},
              {"..", "http://a/b/"},
              {"../", "http://a/b/"},
              {"../g", "http://a/b/g"},
              {"../..", "http://a/"},
              {"../../", "http://a/"},
              {"../../g", "http://a/g"},
              {"../../../g", "http://a/g"},
              {"../../../../g", "http://a/g"},
              {"/./g", "http://a/g"},
              {"/../g", "http://a/g"},
              {"g.", "http://a/b/c/g."},
              {".g", "http://a/b/c/.g"},
              {"g..", "http://a/b/c/g.."},
              {"..g", "http://a/b/c/..g"},
              {"./../g", "http://a/b/g"},
              {"./g/.", "http://a/b/c/g/"},
              {"g/./h", "http://a/b/c/g/h"},
              {"g/../h", "http://a/b/c/h"},
              {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
              {"g;x=1/../y", "http://a/b/c/y"},
              {"g?y/./x", "http://a/b/c/g?y/./x"},
              {"g?y/../x", "http://a/b/c/g?y/../x"},
              {"g#s/./x", "http://a/b/c/g"},
              {"g#s/../x", "http://a/b/c/g"}};
  for (const auto& row : rows) {
    EXPECT_EQ(resolved("http://a/b/c/d;p?q", row.reference), row.expected) << row.reference;
  }
  EXPECT_EQ(resolved("http://a/b/c/d;p?q", "g:h"), refused(Errc::kUnsupportedScheme));
  EXPECT_EQ(resolved("http://a/b/c/d;p?q", "http:g"), refused(Errc::kBadUrl));
}

TEST(Url, ResolvesWhatRedirectsHold) {
  EXPECT_EQ(resolved("http://a:81/x", "https://b/y"), "https://b/y");
  EXPECT_EQ(resolved("https://a:81/x", "//b:82"), "https://b:82/");
  EXPECT_EQ(resolved("https://a:81/x?q", "/y"), "https://a:81/y");
  EXPECT_EQ(resolved("https://a:81", "y"), "https://a:81/y");
  EXPECT_EQ(resolved("http://a/x", "?next=http://b/"), "http://a/x?next=http://b/");
  EXPECT_EQ(resolved("http://a/x", "a:b/c"), refused(Errc::kUnsupportedScheme));
  EXPECT_EQ(resolved("http://a/x", "./a:b/c"), "http://a/a:b/c");
  EXPECT_EQ(resolved("http://a/x", "//u@b/"), refused(Errc::kBadUrl));
  EXPECT_EQ(resolved("http://a/x", "/y z"), refused(Errc::kBadUrl));
  EXPECT_EQ(resolved("http://a/x", "\\\\b"), refused(Errc::kBadUrl));
}

TEST(Url, ComparesOriginsAsText) {
  EXPECT_EQ(Url::parse("HTTP://A:80/x").value().origin(),
            Url::parse("http://a/y").value().origin());
  EXPECT_NE(Url::parse("http://a/").value().origin(), Url::parse("https://a/").value().origin());
  EXPECT_EQ(Url::parse("http://a").value(), Url::parse("http://A:80/").value());
}

TEST(Url, ReadsOnlyItsBytes) {
  const std::string whole = "http://[::1]:81/a%20b?c%41#d";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const test::GuardedBytes guarded(std::string_view(whole).substr(0, size));
    const auto url = Url::parse(guarded.text());
    EXPECT_EQ(url.has_value(), Url::parse(whole.substr(0, size)).has_value()) << size;
  }
}

TEST(Url, HoldsItsPromisesOnRandomReferences) {
  static const std::vector<std::string> kParts = {"/", "/",  ".",    "..",  "a",  "?",       "#",
                                                  ":", "//", "http", "%41", "@",  "[::1]",   "b.c",
                                                  "%", "0x", "1",    "\\",  "&=", "https://"};
  std::mt19937 random(1);
  const Url base = Url::parse("http://h/a/b?c").value();
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string reference;
    for (std::size_t i = random() % 8; i > 0; --i) reference += kParts[random() % kParts.size()];
    const auto url = base.resolve(reference);
    if (!url) continue;
    ++accepted;
    ASSERT_EQ(parsed(url->text()), url->text()) << reference;
    ASSERT_EQ(shown(url->resolve("")), url->text()) << reference;
    ASSERT_EQ(url->target().front(), '/') << reference;
    const std::string inside = std::string(url->path()) + "/";
    ASSERT_EQ(inside.find("/../"), inside.npos) << reference;
    ASSERT_EQ(inside.find("/./"), inside.npos) << reference;
    ASSERT_EQ(url->text().find('#'), std::string::npos) << reference;
    ASSERT_EQ(url->authority().find('@'), std::string_view::npos) << reference;
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace ssx::http
