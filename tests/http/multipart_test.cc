#include "http/multipart.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/http/multipart_feed.h"
#include "tests/support/feed_every_split.h"

namespace ssx::http {
namespace {

using namespace std::string_literals;
using test::Part;
using test::Parts;
using test::read_parts;

constexpr std::string_view kType = "multipart/form-data; boundary=XyZ";

Multipart multipart(const MultipartLimits& limits = {}) {
  return Multipart::create(kType, limits).value();
}
Parts parsed(std::string_view body, const MultipartLimits& limits = {}) {
  return read_parts(multipart(limits), {body});
}
std::string part(std::string_view disposition, std::string_view data = "data") {
  return "--XyZ\r\nContent-Disposition: form-data; " + std::string(disposition) + "\r\n\r\n" +
         std::string(data) + "\r\n";
}
const std::string kFinal = "--XyZ--\r\n";

// What Chromium sends for a form of a text, a file and a file that was not chosen.
const std::string kBrowser =
    "--XyZ\r\n"
    "Content-Disposition: form-data; name=\"text\"\r\n\r\n"
    "some text\r\n\r\nand\rmore\r\n--Xy\r\n"
    "\r\n--XyZ\r\n"
    "Content-Disposition: form-data; name=\"file\"; filename=\"a b.png\"\r\n"
    "Content-Type: image/png\r\n\r\n"
    "\x89PNG\r\n\x1a\n\0\0\r\n--XyY\r"
    "\r\n--XyZ\r\n"
    "Content-Disposition: form-data; name=\"none\"; filename=\"\"\r\n"
    "Content-Type: application/octet-stream\r\n\r\n"
    "\r\n--XyZ--\r\n"s;

TEST(Multipart, TakesABrowsersBodyApartInAnyPieces) {
  const std::vector<Part> expected = {
      {"text", false, "", "text/plain", "some text\r\n\r\nand\rmore\r\n--Xy\r\n", true},
      {"file", true, "a b.png", "image/png", "\x89PNG\r\n\x1a\n\0\0\r\n--XyY\r"s, true},
      {"none", true, "", "application/octet-stream", "", true}};
  ssx::test::feed_every_split(kBrowser, [&expected](const ssx::test::Pieces& pieces) {
    const Parts parts = read_parts(multipart(), pieces);
    EXPECT_EQ(parts.error, Errc::kOk) << to_string(parts.error);
    EXPECT_TRUE(parts.has_ended);
    EXPECT_TRUE(parts.parts == expected);
    EXPECT_LT(parts.unread_max, 128U);
  });
}

TEST(Multipart, GivesDataOnAsSoonAsItCannotBeADelimiter) {
  Multipart reader = multipart();
  std::string body = part("name=a", "abc");
  body.resize(body.size() - 2);
  std::string_view rest = body;
  auto event = reader.next(rest, false);
  ASSERT_EQ(event.what, Multipart::What::kPartBegin);
  rest.remove_prefix(event.consumed);
  event = reader.next(rest, false);
  ASSERT_EQ(event.what, Multipart::What::kData);
  EXPECT_EQ(event.data, "abc");
  EXPECT_EQ(event.data.data(), rest.data() + rest.size() - 3);  // a view, no copy
  EXPECT_EQ(reader.next("x\r\n--Xy", false).data, "x");
  EXPECT_EQ(reader.next("\r\n--Xy", false).what, Multipart::What::kNeedMore);
  EXPECT_EQ(reader.next("\r\n--Xy-", false).data, "\r\n--Xy-");
}

TEST(Multipart, TakesWhatRfc2046Allows) {
  const auto one = [](std::string_view body) {
    std::string seen;
    ssx::test::feed_every_split(body, [&seen](const ssx::test::Pieces& pieces) {
      const Parts parts = read_parts(multipart(), pieces);
      EXPECT_TRUE(parts.has_ended) << to_string(parts.error);
      EXPECT_EQ(parts.parts.size(), 1U);
      if (!parts.parts.empty()) seen = parts.parts[0].data;
    });
    return seen;
  };
  EXPECT_EQ(one(part("name=a") + "--XyZ--"), "data");
  EXPECT_EQ(one(part("name=a") + "--XyZ--  "), "data");
  EXPECT_EQ(one(part("name=a") + "--XyZ-- \t\r\nan epilogue\r\n--XyZ\r\n"), "data");
  EXPECT_EQ(one("a preamble\r\n--Xy\r\n\r\n" + part("name=a") + kFinal), "data");
  EXPECT_EQ(one("\r\n" + part("name=a") + kFinal), "data");
  EXPECT_EQ(one("--XyZ \t\r\nContent-Disposition:form-data;name=a\r\n\r\nx\r\n--XyZ--"), "x");
  // One CRLF for the end of the header and of an empty part.
  EXPECT_EQ(one("--XyZ\r\ncontent-disposition: FORM-DATA; name=a\r\n\r\n--XyZ--\r\n"), "");
  EXPECT_EQ(one(part("name=a", "") + kFinal), "");
  EXPECT_EQ(one(part("name=a", "\r\n\r\n--") + kFinal), "\r\n\r\n--");
  EXPECT_TRUE(parsed("--XyZ--\r\n").has_ended);
  EXPECT_TRUE(parsed("--XyZ--\r\n").parts.empty());
}

// A18: every prefix of a body is a body that was cut.
TEST(Multipart, WantsItsFinalBoundary) {
  const std::size_t whole = kBrowser.size() - 2;  // the last CRLF may be missing
  for (std::size_t size = 0; size < whole; ++size) {
    const Parts parts = parsed(std::string_view(kBrowser).substr(0, size));
    EXPECT_EQ(parts.error, Errc::kUnfinishedMultipart) << size;
    EXPECT_FALSE(parts.has_ended) << size;
  }
  EXPECT_TRUE(parsed(std::string_view(kBrowser).substr(0, whole)).has_ended);
  EXPECT_EQ(status_of(Errc::kUnfinishedMultipart), Status::kBadRequest);
}

// A18: the boundary inside data.
TEST(Multipart, RefusesDelimitersThatOthersWouldNotSee) {
  for (const std::string_view tail : {"X", "-", "-X", "--X", " X", "\n", "\rX", "--\rX", "--\n"}) {
    const std::string body = part("name=a", "x\r\n--XyZ" + std::string(tail)) + kFinal;
    EXPECT_EQ(parsed(body).error, Errc::kBadMultipart) << tail;
  }
  // Behind a blank line the CRLF of the delimiter is already there.
  EXPECT_EQ(parsed(part("name=a", "--XyZ") + kFinal).error, Errc::kBadPartHeader);
  const std::string spaces(64, ' ');
  EXPECT_TRUE(parsed("--XyZ--" + spaces).has_ended);
  EXPECT_EQ(parsed("--XyZ--" + spaces + " ").error, Errc::kBadMultipart);
  EXPECT_EQ(parsed("--XyZ" + spaces + " \r\n").error, Errc::kBadMultipart);
}

// A18: the header of a part, NUL included.
TEST(Multipart, RefusesMalformedHeaders) {
  for (const std::string& header :
       {""s, "A: b\r\n"s, "Content-Disposition: attachment; name=a\r\n"s,
        "Content-Disposition: form-data\r\n"s, "Content-Disposition: form-data; filename=a\r\n"s,
        "Content-Disposition: form-data; name=\"a\r\n"s,
        "Content-Disposition: form-data; name=a; name=b\r\n"s,
        "Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b\r\n"s,
        "Content-Disposition: form-data; name=\"a\0b\"\r\n"s,
        "Content-Disposition: form-data; name=a; filename=\"a\tb\"\r\n"s,
        "Content-Disposition: form-data; name=a\nB: c\r\n"s,
        "Content-Disposition: form-data; name=a\rB: c\r\n"s,
        "Content-Disposition: form-data; name=a\r\nno field\r\n"s,
        "Content-Disposition: form-data; name=a\r\nB : c\r\n"s,
        "Content-Disposition: form-data; name=a\r\n folded\r\n"s,
        "Content-Disposition: form-data; name=a\r\n: c\r\n"s,
        "Content-Disposition: form-data; name=a\r\nContent-Type: x\r\n"s,
        "Content-Disposition: form-data; name=a\r\nContent-Type: a/b\r\nContent-Type: a/b\r\n"s,
        "Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n"s}) {
    EXPECT_EQ(parsed("--XyZ\r\n" + header + "\r\nx\r\n" + kFinal).error, Errc::kBadPartHeader)
        << header;
  }
  EXPECT_EQ(parsed("--XyZ\r\n\nx").error, Errc::kBadPartHeader);
  EXPECT_TRUE(parsed("--XyZ\r\nContent-Transfer-Encoding: 8bit\r\nX-Other: y\r\n" +
                     part("name=a").substr(7) + kFinal)
                  .has_ended);
}

// A18: the table of filenames. What is left names a file in one folder, or nothing.
TEST(Multipart, KeepsTheLastComponentOfAFilename) {
  const struct {
    std::string_view sent, expected;
  } rows[] = {{"a.txt", "a.txt"},
              {"\"\"", ""},
              {"\"a b.txt\"", "a b.txt"},
              {"\"../../etc/passwd\"", "passwd"},
              {"\"/etc/passwd\"", "passwd"},
              {"\"C:\\\\Users\\\\x\\\\a.txt\"", "a.txt"},
              {"\"C:\\Users\\x\\a.txt\"", "a.txt"},
              {"\"..\\..\\a.txt\"", "a.txt"},
              {"\"a/..\"", ""},
              {"\"..\"", ""},
              {"\".\"", ""},
              {"\"dir/\"", ""},
              {"\".htaccess\"", ".htaccess"},
              {"\"...\"", "..."},
              {"\"a\\\"b.txt\"", "a\"b.txt"},
              {"\"a%22b.txt\"", "a%22b.txt"},
              {"\"%2e%2e%2fx\"", "%2e%2e%2fx"},
              {"\"caf\xc3\xa9.txt\"", "caf\xc3\xa9.txt"},
              {"\"a.txt; name=b\"", "a.txt; name=b"},
              {"\"x/..\\/y\"", "y"}};
  for (const auto& row : rows) {
    const Parts parts = parsed(part("name=f; filename=" + std::string(row.sent)) + kFinal);
    ASSERT_EQ(parts.parts.size(), 1U) << row.sent << ": " << to_string(parts.error);
    EXPECT_EQ(parts.parts[0].filename, row.expected) << row.sent;
    EXPECT_TRUE(parts.parts[0].has_filename) << row.sent;
  }
}

TEST(Multipart, HasALongestFilename) {
  const auto error = [](std::string_view folder, std::size_t size) {
    const std::string name = std::string(folder) + std::string(size, 'x');
    return parsed(part("name=f; filename=\"" + name + "\"") + kFinal).error;
  };
  EXPECT_EQ(error("", Multipart::kFilenameMax - 1), Errc::kOk);
  EXPECT_EQ(error("a/long/folder/", Multipart::kFilenameMax), Errc::kOk);
  EXPECT_EQ(error("", Multipart::kFilenameMax + 1), Errc::kFilenameTooLong);
}

TEST(Multipart, WantsABoundaryOfRfc2046) {
  const auto error = [](std::string_view type) {
    const auto created = Multipart::create(type, {});
    return created ? std::error_code() : created.error().code();
  };
  const std::string front = "multipart/form-data; boundary=";
  EXPECT_FALSE(error(front + "a"));
  EXPECT_FALSE(error(front + "----WebKitFormBoundary7MA4YWxkTrZu0gW"));
  EXPECT_FALSE(error(front + "\"'()+_,-./:=? 09azAZ\"; charset=utf-8"));
  EXPECT_FALSE(error("Multipart/Form-Data; Boundary=a"));
  EXPECT_FALSE(error(front + std::string(Multipart::kBoundaryMax - 1, 'x')));
  EXPECT_FALSE(error(front + std::string(Multipart::kBoundaryMax, 'x')));
  EXPECT_EQ(error(front + std::string(Multipart::kBoundaryMax + 1, 'x')), Errc::kBadBoundary);
  for (const std::string_view bad : {"\"\"", "\"a \"", "\"a\\\"b\"", "a$", "\"\xc3\xa9\""}) {
    EXPECT_EQ(error(front + std::string(bad)), Errc::kBadBoundary) << bad;
  }
  EXPECT_EQ(error("multipart/form-data"), Errc::kBadBoundary);
  for (const std::string_view bad : {"", "text/plain", "multipart/mixed; boundary=a",
                                     "multipart/form-data; boundary=a; boundary=b"}) {
    EXPECT_EQ(error(bad), Errc::kNotMultipart) << bad;
  }
  EXPECT_EQ(status_of(Errc::kNotMultipart), Status::kUnsupportedMediaType);
}

// A18: 10^6 parts.
TEST(Multipart, HasAMostOfParts) {
  const auto body = [](std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += part("name=a", "");
    return all + kFinal;
  };
  const MultipartLimits limits;
  EXPECT_EQ(limits.parts_max, 128U);
  EXPECT_TRUE(parsed(body(limits.parts_max - 1)).has_ended);
  EXPECT_TRUE(parsed(body(limits.parts_max)).has_ended);
  EXPECT_EQ(parsed(body(limits.parts_max + 1)).error, Errc::kTooManyParts);
  const Parts many = parsed(body(1000000));
  EXPECT_EQ(many.error, Errc::kTooManyParts);
  EXPECT_EQ(many.parts.size(), limits.parts_max);
  EXPECT_EQ(status_of(Errc::kTooManyParts), Status::kContentTooLarge);
}

TEST(Multipart, HasALongestHeaderOfAPart) {
  const MultipartLimits limits;
  const auto error = [&limits](std::size_t size) {
    const std::string first = "Content-Disposition: form-data; name=a\r\nX: ";
    const std::string header = first + std::string(size - first.size() - 2, 'x') + "\r\n";
    EXPECT_EQ(header.size(), size);
    Errc code = Errc::kOk;
    ssx::test::feed_every_split("--XyZ\r\n" + header + "\r\n" + kFinal,
                                [&code, &limits](const ssx::test::Pieces& pieces) {
                                  const Parts parts = read_parts(multipart(limits), pieces);
                                  code = parts.error;
                                  EXPECT_LE(parts.unread_max, limits.part_header_max);
                                },
                                {.random = 5, .every_cut_max = 50});
    return code;
  };
  EXPECT_EQ(error(limits.part_header_max - 1), Errc::kOk);
  EXPECT_EQ(error(limits.part_header_max), Errc::kOk);
  EXPECT_EQ(error(limits.part_header_max + 1), Errc::kPartHeaderTooLong);
  // A line without an end is refused before it has one.
  Multipart reader = multipart();
  const std::string endless = "--XyZ\r\n" + std::string(limits.part_header_max + 1, 'x');
  EXPECT_EQ(reader.next(endless, false).error, Errc::kPartHeaderTooLong);
  EXPECT_EQ(reader.next("", false).error, Errc::kPartHeaderTooLong);
}

TEST(Multipart, HasAMostOfFieldsInAPart) {
  const MultipartLimits limits;
  const auto error = [](std::size_t count) {
    std::string body = "--XyZ\r\nContent-Disposition: form-data; name=a\r\n";
    for (std::size_t i = 1; i < count; ++i) body += "X: y\r\n";
    return parsed(body + "\r\n\r\n" + kFinal).error;
  };
  EXPECT_EQ(error(limits.part_fields_max - 1), Errc::kOk);
  EXPECT_EQ(error(limits.part_fields_max), Errc::kOk);
  EXPECT_EQ(error(limits.part_fields_max + 1), Errc::kTooManyPartFields);
}

// Data that looks like a delimiter at every byte costs no more than other data.
TEST(Multipart, ReadsNearlyDelimitersInLinearTime) {
  std::string data;
  while (data.size() < (8U << 20)) data += "\r\n--Xy";
  const Parts parts = parsed(part("name=a", data) + kFinal);
  ASSERT_TRUE(parts.has_ended);
  EXPECT_TRUE(parts.parts[0].data == data);
  const std::string returns(8U << 20, '\r');
  const Parts others = parsed(part("name=a", returns) + kFinal);
  ASSERT_TRUE(others.has_ended);
  EXPECT_TRUE(others.parts[0].data == returns);
}

}  // namespace
}  // namespace ssx::http
