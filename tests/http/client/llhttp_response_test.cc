// Our reading of responses against llhttp's in strict mode, over a corpus, over every byte at every
// place of a small head, and over seeded mutations. A difference is a failure unless the tables of
// quirks below have it; an entry that is never needed is a failure too.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "http/error.h"
#include "tests/support/peer.h"
#ifdef SSX_HAVE_LLHTTP
#include "tests/http/llhttp_quirks.h"
#endif

namespace ssx::http::test {
namespace {

#ifdef SSX_HAVE_LLHTTP

// We refuse, llhttp does not (or only later).
const Quirks::Table& stricter() {
  static const Quirks::Table rows = {
      {to_string(Errc::kBadLineEnd), "llhttp takes a bare LF or CR behind the status line"},
      {to_string(Errc::kObsoleteFold), "llhttp joins folded lines (RFC 9112 5.2 lets us refuse)"},
      {to_string(Errc::kBadFieldName), "llhttp takes an empty name"},
      {to_string(Errc::kBadVersion), "llhttp skips empty lines in front, knows HTTP/0.9"},
      {to_string(Errc::kUnsupportedVersion), "llhttp takes HTTP/2.0"},
      {to_string(Errc::kBadStatus), "llhttp takes control characters in a reason, and 0xx"},
      {to_string(Errc::kBadContentLength), "llhttp counts no digits"},
      {to_string(Errc::kBadTransferEncoding), "llhttp reads other lists to the end of connection"},
      {to_string(Errc::kUnknownTransferCoding), "llhttp leaves other codings to the application"},
      {to_string(Errc::kTransferEncodingInHttp10), "llhttp decodes chunks in HTTP/1.0"},
      {to_string(Errc::kTransferEncodingAndLength), "llhttp lets the first one win here and there"},
      {to_string(Errc::kBadChunkSize), "llhttp takes sizes above 2^63 - 1"},
      {to_string(Errc::kBadChunkExtension), "llhttp takes extensions without name or value"},
      {to_string(Errc::kBadTrailer), "as with fields"},
  };
  return rows;
}

// llhttp refuses the head, we have not seen all of it.
const Quirks::Table& sooner() {
  static const Quirks::Table rows = {
      {"head HPE_INVALID_VERSION", "we judge a version at the end of its line"},
      {"head HPE_INVALID_CONTENT_LENGTH: Content-Length overflow",
       "we count digits at the end of the line"},
      {"head HPE_UNEXPECTED_CONTENT_LENGTH: Duplicate Content-Length",
       "we look at the lengths together, when all fields are there"},
  };
  return rows;
}

// llhttp refuses, we do not.
const Quirks::Table& looser() {
  static const Quirks::Table rows = {
      {"head HPE_INVALID_VERSION", "a later 1.x is read as 1.1 (RFC 9110 6.2)"},
      {"head HPE_INVALID_CONTENT_LENGTH: Invalid character in Content-Length",
       "a tab behind the value is OWS (RFC 9110 5.6.3)"},
      {"body HPE_INVALID_CHUNK_SIZE: Invalid character in chunk size",
       "white space before a chunk extension is BWS (RFC 9112 7.1.1)"},
      {"body HPE_STRICT: Invalid character in chunk extensions",
       "BWS and quoted-pair in a chunk extension (RFC 9112 7.1.1)"},
      {"body HPE_INVALID_CONTENT_LENGTH", "a trailer frames nothing (RFC 9110 6.5.1)"},
      {"body HPE_UNEXPECTED_CONTENT_LENGTH: Duplicate Content-Length", "the same"},
  };
  return rows;
}

// RFC 9112 6.3, rule 1: such a response ends with its head, whatever the fields say.
bool is_bodiless(const Opinion& ours) {
  const bool announced = ours.chunked || ours.content_length.value_or(0) > 0;
  return ours.state == Opinion::State::kDone && announced &&
         (ours.status < 200 || ours.status == 204 || ours.status == 304);
}

// How often the two differences came that no reason tells.
struct Odd {
  int bodiless = 0;  ///< a body behind 1xx, 204 or 304
  /// A tab behind "chunked". OWS behind a value is no part of it (RFC 9110 5.5); llhttp then reads
  /// to the end of the connection.
  int tabbed = 0;
};

bool agree(const Opinion& ours, const Opinion& theirs, std::string_view bytes, Quirks& quirks,
           Odd& odd) {
  if (theirs.head_accepted() && ours.chunked && !theirs.chunked && bytes.find('\t') != bytes.npos) {
    ++odd.tabbed;
    return true;
  }
  if (theirs.head_accepted() && is_bodiless(ours)) {
    ++odd.bodiless;
    return same_head(ours, theirs);
  }
  return quirks.allow(ours, theirs);
}

void expect_agreement(std::string_view bytes, Quirks& quirks, Odd& odd) {
  for (const bool to_head : {false, true}) {
    const Opinion ours = our_response_opinion(bytes, to_head);
    const Opinion theirs = llhttp_response_opinion(bytes, to_head);
    if (agree(ours, theirs, bytes, quirks, odd)) continue;
    ADD_FAILURE() << "ours   " << ours << "\nllhttp " << theirs << "\nbytes  "
                  << ::testing::PrintToString(std::string(bytes)) << (to_head ? " to HEAD" : "");
  }
}

std::vector<std::string> inputs() {
  std::vector<std::string> all;
  for (const char* const line :
       {"HTTP/1.1 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.1 204 No",
        "HTTP/1.1 304 Not", "HTTP/1.1 100 Continue", "HTTP/1.1 999 Odd", "HTTP/1.1 099 Odd",
        "HTTP/2.0 200 OK", "HTTP/0.9 200 OK", "HTTP/1.1 20 OK", "HTTP/1.1  200 OK",
        "HTTP/1.1 200 \x01", "HTTP/1.1 200 caf\xe9"}) {
    for (const char* const fields :
         {"", "Content-Length: 5\r\n", "Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n",
          "Connection: close\r\n", "Content-Length: 5\r\nConnection: close\r\n"}) {
      all.push_back(std::string(line) + "\r\n" + fields + "\r\nhello");
    }
  }
  for (const char* const fields : {"Content-Length: 5\r\nContent-Length: 5\r\n",
                                   "Content-Length: 5, 5\r\n",
                                   "Content-Length: 99999999999999999999\r\n",
                                   "Content-Length: 5\t\r\n",
                                   "Content-Length: 00000000000000000005\r\n",
                                   "Content-Length: \r\n",
                                   "Transfer-Encoding: gzip\r\n",
                                   "Transfer-Encoding: gzip, chunked\r\n",
                                   "Transfer-Encoding: chunked, gzip\r\n",
                                   "Transfer-Encoding: identity\r\n",
                                   "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                                   "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
                                   "Content-Length: 0\r\nTransfer-Encoding:\r\n",
                                   "Transfer-Encoding:\r\nContent-Length: 0\r\n",
                                   "A: b\r\n c\r\n",
                                   "A : b\r\n",
                                   ": b\r\n",
                                   "A\r\n",
                                   "A: b\n",
                                   "A: \x01\r\n",
                                   "Set-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 5\r\n"}) {
    all.push_back("HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\nhello");
  }
  all.push_back("\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  all.push_back("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello");
  all.push_back("HTTP/1.9");
  all.push_back("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999");
  all.push_back("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6");
  all.push_back("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\t\r\n\r\n0\r\n\r\n");
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& body : chunked_bodies()) all.push_back(head + body);
  return all;
}

// One test, because an entry of the tables may be needed by any of the three.
TEST(LlhttpResponseDifferential, AgreesButForTheQuirksAndNeedsAllOfThem) {
  Quirks quirks(stricter(), sooner(), looser());
  Odd odd;
  const auto check = [&](const std::string& bytes) { expect_agreement(bytes, quirks, odd); };
  const std::vector<std::string> all = inputs();
  for (const std::string& bytes : all) check(bytes);
  try_every_byte_at_every_place("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Y: z\r\n\r\nabc", check);
  try_mutations(all, {"204 ", "304 ", "100 ", "HTTP/1.1 200 OK\r\n"}, check);
  quirks.expect_all_needed();
  EXPECT_GT(odd.bodiless, 0);
  EXPECT_GT(odd.tabbed, 0);
}

#else

TEST(LlhttpResponseDifferential, HasLlhttp) { SSX_NEEDS_PEER(false, "the sources of node-llhttp"); }

#endif

}  // namespace
}  // namespace ssx::http::test
