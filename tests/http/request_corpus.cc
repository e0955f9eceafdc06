#include "tests/http/request_corpus.h"

#include <string_view>

namespace ssx::http::test {
namespace {

using namespace std::string_literals;

using Rows = std::vector<CorpusRow>;

std::string with_line(const std::string& request_line) {
  return request_line + "\r\nHost: a.example\r\n\r\n";
}
std::string with_target(const std::string& target) {
  return with_line("GET " + target + " HTTP/1.1");
}
std::string with_field(const std::string& line) {
  return "GET / HTTP/1.1\r\nHost: a.example\r\n" + line + "\r\n\r\n";
}
std::string with_host(const std::string& value) {
  return "GET / HTTP/1.1\r\nHost: " + value + "\r\n\r\n";
}
std::string post(const std::string& lines) {
  return "POST / HTTP/1.1\r\nHost: a.example\r\n" + lines + "\r\n\r\n";
}
std::string post_length(const std::string& value) { return post("Content-Length: " + value); }
std::string post_coding(const std::string& value) { return post("Transfer-Encoding: " + value); }

void add_plain(Rows& rows) {
  const auto row = [&rows](const char* name, const std::string& bytes) {
    rows.push_back({"plain "s + name, bytes, Errc::kOk});
  };
  for (const char* const method :
       {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"}) {
    row(method, with_line(method + " /x HTTP/1.1"s));
  }
  row("HTTP/1.0", "GET / HTTP/1.0\r\n\r\n");
  row("HTTP/1.0 with Host", "GET / HTTP/1.0\r\nHost: a\r\n\r\n");
  row("one empty line before", "\r\n" + with_target("/"));
  row("asterisk", with_line("OPTIONS * HTTP/1.1"));
  row("absolute", "GET http://a.example/x?y HTTP/1.1\r\nHost: a.example\r\n\r\n");
  row("absolute without path", "GET http://a.example HTTP/1.1\r\nHost: a.example\r\n\r\n");
  row("absolute in HTTP/1.0", "GET http://a.example/ HTTP/1.0\r\n\r\n");
  row("length", post_length("5") + "hello");
  row("length 0", post_length("0"));
  row("chunked", post_coding("chunked") + "5\r\nhello\r\n0\r\n\r\n");
  row("empty value", with_field("X:"));
  row("tabs around a value", with_field("X:\t\tb\t"));
  row("tab inside a value", with_field("X: a\tb"));
  row("obs-text", with_field("X: \x80\xff caf\xc3\xa9"));
  row("every tchar", with_field("!#$%&'*+-.^_`|~09azAZ: 1"));
  row("no space behind the colon", with_field("X:1"));
  row("many fields", with_field("A: 1\r\nB: 2\r\nA: 3\r\nC: 4\r\nD: 5\r\nE: 6\r\nF: 7\r\nG: 8"));
  row("colons in a value", with_field("X: :a:b:"));
  row("pipelined", with_target("/1") + with_target("/2"));
}

void add_content_length(Rows& rows) {
  const auto row = [&rows](const std::string& name, const std::string& bytes, Errc verdict) {
    rows.push_back({"A05 " + name, bytes, verdict});
  };
  constexpr Errc kBad = Errc::kBadContentLength;
  for (const char* const good : {"1", "00", "0000000000000000001", "9223372036854775807",
                                 "9223372036854775808", "9999999999999999999"}) {
    row(good, post_length(good), Errc::kOk);
  }
  for (const char* const bad : {"-1",
                                "+1",
                                "0x1",
                                "1_0",
                                "1 2",
                                "1e3",
                                "1.0",
                                "1,",
                                ",1",
                                "5, 5",
                                "5, 6",
                                "5,5",
                                "five",
                                "5;",
                                "\"5\"",
                                "18446744073709551616",
                                "00000000000000000005",
                                "1111111111222222222233333333334444444444",
                                "5\t5",
                                "\xef\xbc\x95",
                                "5\x80"}) {
    row(bad, post_length(bad), kBad);
  }
  row("empty", post("Content-Length:"), kBad);
  row("blank", post("Content-Length:  \t "), kBad);
  row("padded", post("Content-Length: \t5 \t"), Errc::kOk);
  row("vertical tab", post_length("5\v"), Errc::kBadFieldValue);
  row("two equal lines", post("Content-Length: 5\r\nContent-Length: 5"),
      Errc::kDuplicateContentLength);
  row("two different lines", post("Content-Length: 5\r\ncontent-length: 6"),
      Errc::kDuplicateContentLength);
  row("two lines apart", post("Content-Length: 5\r\nX: 1\r\nContent-Length: 5"),
      Errc::kDuplicateContentLength);
  row("space before the colon", post("Content-Length : 5"), Errc::kBadFieldName);
  row("underscore", post("Content_Length: 5"), Errc::kOk);
}

void add_transfer_encoding(Rows& rows) {
  const auto row = [&rows](const std::string& name, const std::string& bytes, Errc verdict) {
    rows.push_back({"A04 " + name, bytes, verdict});
  };
  constexpr Errc kBad = Errc::kBadTransferEncoding;
  constexpr Errc kUnknown = Errc::kUnknownTransferCoding;
  for (const char* const good : {"chunked", "Chunked", "CHUNKED", "\tchunked \t"}) {
    row(good, post_coding(good), Errc::kOk);
  }
  for (const char* const bad :
       {"", " ", ",", "chunked,", ",chunked", ", chunked", "chunked, chunked", "chunked, gzip",
        "chunked;q=1", "chunked ;x", "gzip, chunked, chunked", "\"chunked\"", "chunked chunked",
        "chunked, identity", "gzip,,chunked", "chunked\x80"}) {
    row("malformed \""s + bad + '"', post_coding(bad), kBad);
  }
  for (const char* const unknown :
       {"gzip", "identity", "gzip, chunked", "xchunked", "chunkedx", "deflate, gzip",
        "gzip;q=1, chunked", "'chunked'", "'chunked', gzip", "x"}) {
    row("unknown \""s + unknown + '"', post_coding(unknown), kUnknown);
  }
  row("vertical tab", post_coding("\vchunked"), Errc::kBadFieldValue);
  row("NUL", post_coding("chunked\0"s), Errc::kBadFieldValue);
  row("folded", post("Transfer-Encoding: chunked,\r\n chunked"), kBad);
  row("folded behind it", post("Transfer-Encoding: chunked\r\n , x"), Errc::kObsoleteFold);
  row("space before the colon", post("Transfer-Encoding : chunked"), Errc::kBadFieldName);
  row("two lines", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), kBad);
  row("two lines, one unknown", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip"),
      kBad);
  row("unknown line first", post("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked"),
      kUnknown);
  row("length behind it", post("Transfer-Encoding: chunked\r\nContent-Length: 5"),
      Errc::kTransferEncodingAndLength);
  row("length before it", post("Content-Length: 5\r\nTransfer-Encoding: chunked"),
      Errc::kTransferEncodingAndLength);
  row("length 0 before it", post("Content-Length: 0\r\nTransfer-Encoding: chunked"),
      Errc::kTransferEncodingAndLength);
  row("HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
      Errc::kTransferEncodingInHttp10);
  row("GET", with_field("Transfer-Encoding: chunked"), Errc::kOk);
  row("expectation unknown", post("Expect: 200-ok"), Errc::kUnknownExpectation);
  row("expectation list", post("Expect: 100-continue, x"), Errc::kUnknownExpectation);
  row("expectation", post("Content-Length: 5\r\nExpect: 100-continue"), Errc::kOk);
}

void add_line_ends(Rows& rows) {
  const auto row = [&rows](const char* name, const std::string& bytes, Errc verdict) {
    rows.push_back({"A08 "s + name, bytes, verdict});
  };
  constexpr Errc kEnd = Errc::kBadLineEnd;
  const std::string line = "GET / HTTP/1.1";
  const std::string host = "Host: a";
  row("LF behind the request line", line + "\n" + host + "\r\n\r\n", kEnd);
  row("LF behind a field", line + "\r\n" + host + "\n\r\n", kEnd);
  row("LF at the end", line + "\r\n" + host + "\r\n\n", kEnd);
  row("LF only", line + "\n" + host + "\n\n", kEnd);
  row("CR behind the request line", line + "\r" + host + "\r\n\r\n", kEnd);
  row("CR behind a field", line + "\r\n" + host + "\rX: 1\r\n\r\n", kEnd);
  row("CR at the end", line + "\r\n" + host + "\r\n\rX", kEnd);
  row("CR CR LF behind the request line", line + "\r\r\n" + host + "\r\n\r\n", kEnd);
  row("CR CR LF behind a field", line + "\r\n" + host + "\r\r\n\r\n", kEnd);
  row("CR CR LF at the end", line + "\r\n" + host + "\r\n\r\r\n", kEnd);
  row("LF CR", line + "\n\r" + host + "\n\r\n\r", kEnd);
  row("LF before the request", "\n" + with_target("/"), kEnd);
  row("CR before the request", "\r" + with_target("/"), kEnd);
  row("two empty lines before", "\r\n\r\n" + with_target("/"), Errc::kLeadingLines);
  row("NEL", line + "\xc2\x85" + host + "\r\n\r\n", Errc::kBadVersion);
  row("NEL in a value", with_field("X: a\xc2\x85Y: b"), Errc::kOk);
  row("folded with a space", with_field("X: 1\r\n 2"), Errc::kObsoleteFold);
  row("folded with a tab", with_field("X: 1\r\n\t2"), Errc::kObsoleteFold);
  row("first field folded", line + "\r\n " + host + "\r\n\r\n", Errc::kObsoleteFold);
  row("blank line before the fields", line + "\r\n \r\n" + host + "\r\n\r\n", Errc::kObsoleteFold);
}

void add_fields(Rows& rows) {
  const auto row = [&rows](const std::string& name, const std::string& line, Errc verdict) {
    rows.push_back({"A08 " + name, with_field(line), verdict});
  };
  constexpr Errc kName = Errc::kBadFieldName;
  constexpr Errc kValue = Errc::kBadFieldValue;
  row("space before the colon", "X : 1", kName);
  row("tab before the colon", "X\t: 1", kName);
  row("empty name", ": 1", kName);
  row("no colon", "X", kName);
  row("no colon but a value", "X 1", kName);
  row("NUL in a name", "X\0Y: 1"s, kName);
  row("NUL as a name", "\0: 1"s, kName);
  row("obs-text in a name", "X\x80Y: 1", kName);
  row("UTF-8 in a name", "caf\xc3\xa9: 1", kName);
  for (const char byte : "()<>@,;\\\"/[]?={}"s) {
    row("name with "s + byte, "X"s + byte + "Y: 1", kName);
    row("name begins with "s + byte, byte + "Y: 1"s, kName);
  }
  for (unsigned byte = 0; byte < 0x20; ++byte) {
    if (byte == '\t' || byte == '\n' || byte == '\r') continue;
    const std::string control(1, static_cast<char>(byte));
    row("value with control " + std::to_string(byte), "X: a" + control + "b", kValue);
    row("value begins with control " + std::to_string(byte), "X:" + control, kValue);
  }
  row("value with DEL", "X: a\x7f", kValue);
  row("CR in a value", "X: a\rb", Errc::kBadLineEnd);
  row("LF in a value", "X: a\nY: b", Errc::kBadLineEnd);
}

void add_request_lines(Rows& rows) {
  const auto row = [&rows](const std::string& name, const std::string& line, Errc verdict) {
    rows.push_back({"A09 " + name, with_line(line), verdict});
  };
  constexpr Errc kVersion = Errc::kBadVersion;
  row("two spaces before the target", "GET  / HTTP/1.1", Errc::kBadTarget);
  row("two spaces before the version", "GET /  HTTP/1.1", kVersion);
  row("space at the end", "GET / HTTP/1.1 ", kVersion);
  row("space at the start", " GET / HTTP/1.1", Errc::kBadMethod);
  row("tab before the target", "GET\t/ HTTP/1.1", Errc::kBadMethod);
  row("tab before the version", "GET /\tHTTP/1.1", Errc::kBadTarget);
  row("no version", "GET /", kVersion);
  row("no version but a space", "GET / ", kVersion);
  row("no target", "GET HTTP/1.1", kVersion);
  row("method only", "GET", Errc::kBadMethod);
  row("four words", "GET / x HTTP/1.1", kVersion);
  for (const char* const version :
       {"HTTP/0.9", "HTTP/1.01", "HTTP/1.10", "HTTP/1.256", "HTTP/01.1", "HTTP/1",
        "HTTP/1.",  "HTTP/.1",   "HTTP/11",   "HTTP/1,1",   "HTTP/1.x",  "HTTP/-1.1",
        "http/1.1", "Http/1.1",  "HTTP /1.1", "HTTP/ 1.1",  "HTTP/1 .1", "HTTPS/1.1",
        "HTP/1.1",  "ICE/1.0",   "XHTTP/1.1", "HTTP/1.1x",  "HTTP\\1.1", "RTSP/1.0"}) {
    row(version, "GET / "s + version, kVersion);
  }
  for (const char* const version : {"HTTP/2.0", "HTTP/3.0", "HTTP/9.9"}) {
    row(version, "GET / "s + version, Errc::kUnsupportedVersion);
  }
  for (const char* const version : {"HTTP/1.2", "HTTP/1.9"}) {
    row(version, "GET / "s + version, Errc::kOk);
  }
  rows.push_back({"A09 HTTP/0.9 request", "GET /\r\n", kVersion});
  rows.push_back(
      {"A09 preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Errc::kUnsupportedVersion});
  rows.push_back({"A09 TLS ClientHello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"s,
                  Errc::kBadMethod});
  rows.push_back({"A09 SSLv2 hello", "\x80\x2e\x01\x00\x02"s, Errc::kBadMethod});
  rows.push_back({"A09 SSH", "SSH-2.0-OpenSSH_9.2\r\n", Errc::kBadMethod});
  rows.push_back({"A09 PROXY protocol", "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n", kVersion});
  rows.push_back({"A09 a response", "HTTP/1.1 200 OK\r\n\r\n", Errc::kBadMethod});
}

// Kept in shape by hand: one per line would be a page.
// clang-format off
constexpr const char* kBadHosts[] = {
      "", " ", "a b", "a, b", "a,b", "a;b", "user@a", "user:pw@a", "a/b", "a/", "http://a",
      "a?b", "a#b", "a\\b", "a:0", "a:99999", "a:65536", "a:123456", "a:-1", "a:+1", "a:x",
      "a:80x", "a:80:80", "a::80", ":80", ":", "[::1", "::1", "[]", "[:]", "[:::]", "[1::2::3]",
      "[12345::]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[g::]", "[::1]x", "[::1]:x",
      "[::1%25eth0]", "[v1.x]", "[::1.2.3]", "[::1.2.3.256]", "[::1.2.3.04]", "[1.2.3.4]",
      "[::1]]", "[[::1]]", "a..b", ".a", "..", ".", "a%41", "caf\xc3\xa9", "a\x80", "a'b",
      "[1:2:3:4:5:6:7:1.2.3.4]", "[1:2:3:4:5:6:7:8::]", "[1:]", "[:1]"};
// clang-format on

void add_hosts(Rows& rows) {
  const auto row = [&rows](const std::string& name, const std::string& value, Errc verdict) {
    rows.push_back({"A10 " + name, with_host(value), verdict});
  };
  for (const char* const good : {"a",
                                 "a.example",
                                 "a.example.",
                                 "A.EXAMPLE",
                                 "a:80",
                                 "a:",
                                 "a:65535",
                                 "a:1",
                                 "127.0.0.1",
                                 "127.0.0.1:8080",
                                 "[::1]",
                                 "[::1]:80",
                                 "[2001:db8::1]",
                                 "[::ffff:1.2.3.4]",
                                 "x_y-z~1",
                                 "[1:2:3:4:5:6:7:8]",
                                 "[1:2:3:4:5:6:1.2.3.4]",
                                 "[::]",
                                 "[1::]",
                                 "[1:2:3:4:5:6:7::]"}) {
    row(good, good, Errc::kOk);
  }
}

void add_bad_hosts(Rows& rows) {
  for (const char* const bad : kBadHosts) {
    rows.push_back({"A10 bad \""s + bad + '"', with_host(bad), Errc::kBadHost});
  }
}

void add_missing_hosts(Rows& rows) {
  const auto head = [&rows](const char* name, const std::string& bytes, Errc verdict) {
    rows.push_back({"A10 "s + name, bytes, verdict});
  };
  head("missing", "GET / HTTP/1.1\r\n\r\n", Errc::kMissingHost);
  head("missing among others", "GET / HTTP/1.1\r\nX-Host: a\r\n\r\n", Errc::kMissingHost);
  head("missing in absolute-form", "GET http://a/ HTTP/1.1\r\n\r\n", Errc::kMissingHost);
  head("two equal", with_field("Host: a.example"), Errc::kDuplicateHost);
  head("two different", with_field("HOST: b"), Errc::kDuplicateHost);
  head("two in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", Errc::kDuplicateHost);
  head("bad in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a b\r\n\r\n", Errc::kBadHost);
  const auto absolute = [&head](const char* name, const std::string& uri, const std::string& host,
                                Errc verdict) {
    head(name, "GET " + uri + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n", verdict);
  };
  absolute("absolute, other case", "HTTP://A/", "a", Errc::kOk);
  absolute("absolute, default port", "http://a:80/", "a", Errc::kOk);
  absolute("absolute, https", "https://a/", "a", Errc::kNotSecure);
  absolute("absolute, other host", "http://a/", "b", Errc::kOk);
  absolute("absolute, other port", "http://a/", "a:81", Errc::kOk);
  absolute("absolute, bad host", "http://a/", "a b", Errc::kBadHost);
  absolute("absolute, user", "http://u@a/", "a", Errc::kBadTarget);
  absolute("absolute, no host", "http:///x", "a", Errc::kBadTarget);
  absolute("absolute, port 0", "http://a:0/", "a", Errc::kBadTarget);
  absolute("absolute, query without path", "http://a?x", "a", Errc::kOk);
}

void add_methods(Rows& rows) {
  const auto row = [&rows](const std::string& method, Errc verdict) {
    rows.push_back({"A11 method \"" + method + '"', with_line(method + " / HTTP/1.1"), verdict});
  };
  constexpr Errc kUnknown = Errc::kUnknownMethod;
  for (const char* const method :
       {"get", "Get", "G", "GE", "GETT", "GETX", "XGET", "PROPFIND", "QUERY", "A",
        "AAAAAAAAAAAAAAAAAAAA", "!#$%&'*+-.^_`|~", "1", "PRI", "CONNECTX"}) {
    row(method, kUnknown);
  }
  row("AAAAAAAAAAAAAAAAAAAAA", Errc::kMethodTooLong);
  for (const char* const method : {"G(T", "G\x01T", "G\x80T", "", "\"GET\"", "G/T", "G:T"}) {
    row(method, Errc::kBadMethod);
  }
  row("GET\0"s, Errc::kBadMethod);
  rows.push_back({"A11 CONNECT authority",
                  "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n", kUnknown});
  rows.push_back({"A11 CONNECT path", with_line("CONNECT / HTTP/1.1"), kUnknown});
}

void add_targets(Rows& rows) {
  const auto row = [&rows](const std::string& target, Errc verdict) {
    rows.push_back({"A12 target \"" + target.substr(0, 40) + '"', with_target(target), verdict});
  };
  for (const char* const good :
       {"/",         "/a/b",           "/a//b",      "/./a",        "/a/../b",
        "/%41",      "/%e2%82%ac",     "/caf%C3%A9", "/a?b?c",      "/?",
        "/a?%0d%0a", "/a?x=%ff",       "/a?x=../..", "/a|b",        "/{a}",
        "/a;b=1,2",  "/a:b@c",         "/..a",       "/...",        "/.",
        "/a/..",     "/?/../..",       "/%2e%2e%2e", "/*",          "/a+b",
        "/~a",       "/a?{[|^`]}",     "/%25zz",     "/a/%2e%2e/b", "//a.example/x",
        "/[a]",      "/$&'()*+,;=-._!"}) {
    row(good, Errc::kOk);
  }
  for (const char* const bad : {"*",        "a",        "a/b",    "a.example:443", "?x",
                                "%2f",      "*?x",      "**",     "ftp://a/",      "http:/a",
                                "http//a/", "mailto:a", "http:",  "http://",       "/a#b",
                                "/#",       "/a\\b",    "\\",     "/a\"b",         "/<a>",
                                "/a\x7f",   "/\x01",    "/a\x80", "/caf\xc3\xa9",  "\xff"}) {
    row(bad, Errc::kBadTarget);
  }
  row("/a\0b"s, Errc::kBadTarget);
  row("/\v", Errc::kBadTarget);
  row("", Errc::kBadTarget);
  for (const char* const bad : {"/%", "/%4", "/%zz", "/%4g", "/%%41", "/a%", "/a?%", "/a?%z1",
                                "/a?x=%4", "/%u0041", "/% 41"}) {
    row(bad, std::string_view(bad) == "/% 41" ? Errc::kBadVersion : Errc::kBadEscape);
  }
  for (const char* const bad :
       {"/%00", "/a%00.html", "/%0d%0aX", "/%0a", "/%1f", "/%7f", "/%09", "/a?x=%00"}) {
    row(bad, Errc::kEncodedControl);
  }
  for (const char* const bad : {"/a%2fb", "/a%2Fb", "/%5c", "/..%5C..", "/..%2f..%2fetc"}) {
    row(bad, Errc::kEncodedSlash);
  }
  for (const char* const bad :
       {"/%c0%af", "/%c0%ae%c0%ae", "/%e0%80%af", "/%f0%80%80%af", "/%ed%a0%80", "/%ed%bf%bf",
        "/%ff", "/%80", "/%c3", "/%c3%28", "/%e2%82", "/%f4%90%80%80", "/%f8%88%80%80%80",
        "/%c3/%a9", "/caf%e9"}) {
    row(bad, Errc::kBadUtf8);
  }
  for (const char* const bad : {"/..", "/../x", "/%2e%2e/x", "/a/%2e./.%2E/x", "/a/../../b",
                                "//../x", "/./../x", "/..?x", "/a/b/../../.."}) {
    row(bad, Errc::kAboveRoot);
  }
}

}  // namespace

const std::vector<CorpusRow>& request_corpus() {
  static const Rows rows = [] {
    Rows all;
    add_plain(all);
    add_content_length(all);
    add_transfer_encoding(all);
    add_line_ends(all);
    add_fields(all);
    add_request_lines(all);
    add_hosts(all);
    add_bad_hosts(all);
    add_missing_hosts(all);
    add_methods(all);
    add_targets(all);
    return all;
  }();
  return rows;
}

}  // namespace ssx::http::test
