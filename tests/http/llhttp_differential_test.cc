// Our reading of requests against llhttp's in strict mode, over the corpus, over every byte at
// every place of a small head (A14), and over seeded mutations. A difference is a failure unless
// the tables of quirks below have it; an entry that is never needed is a failure too.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "http/error.h"
#include "tests/http/request_corpus.h"
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
      {to_string(Errc::kBadLineEnd),
       "llhttp takes a bare LF behind the request line and skips CR "
       "and LF before it"},
      {to_string(Errc::kLeadingLines), "llhttp skips any number of empty lines"},
      {to_string(Errc::kObsoleteFold), "llhttp joins folded lines (RFC 9112 5.2 lets us refuse)"},
      {to_string(Errc::kBadFieldName), "llhttp takes an empty name"},
      {to_string(Errc::kBadTarget), "llhttp skips spaces before a target and checks less of it"},
      {to_string(Errc::kBadEscape), "llhttp does not decode"},
      {to_string(Errc::kEncodedControl), "llhttp does not decode"},
      {to_string(Errc::kEncodedSlash), "llhttp does not decode"},
      {to_string(Errc::kBadUtf8), "llhttp does not decode"},
      {to_string(Errc::kAboveRoot), "llhttp does not normalise"},
      {to_string(Errc::kBadVersion), "llhttp knows HTTP/0.9, RTSP and ICE"},
      {to_string(Errc::kUnsupportedVersion), "llhttp takes HTTP/2.0"},
      {to_string(Errc::kUnknownMethod), "llhttp knows CONNECT, WebDAV and RTSP"},
      {to_string(Errc::kMissingHost), "llhttp does not look for Host"},
      {to_string(Errc::kDuplicateHost), "llhttp does not count Host"},
      {to_string(Errc::kBadHost), "llhttp does not read Host"},
      {to_string(Errc::kNotSecure), "llhttp takes any scheme"},
      {to_string(Errc::kBadContentLength), "llhttp counts no digits"},
      {to_string(Errc::kBadTransferEncoding), "llhttp wants a list that ends with chunked"},
      {to_string(Errc::kUnknownTransferCoding), "llhttp leaves other codings to the application"},
      {to_string(Errc::kTransferEncodingInHttp10), "llhttp decodes chunks in HTTP/1.0"},
      {to_string(Errc::kUnknownExpectation), "llhttp leaves Expect to the application"},
      {to_string(Errc::kBadChunkSize), "llhttp takes sizes above 2^63 - 1"},
      {to_string(Errc::kBadChunkExtension), "llhttp takes extensions without name or value"},
      {to_string(Errc::kTransferEncodingAndLength), "llhttp takes an empty coding for none"},
      {to_string(Errc::kBadTrailer), "as with fields"},
  };
  return rows;
}

// llhttp refuses the head, we have not seen all of it.
const Quirks::Table& sooner() {
  static const Quirks::Table rows = {
      {"head HPE_INVALID_METHOD", "we name the method behind its line, where 505 is known"},
      {"head HPE_INVALID_VERSION", "we judge a version at the end of its line"},
      {"head HPE_INVALID_CONTENT_LENGTH: Content-Length overflow",
       "we count digits at the end of the line"},
      {"head HPE_UNEXPECTED_CONTENT_LENGTH: Duplicate Content-Length",
       "we look at the lengths together, when all fields are there"},
      {"head HPE_INVALID_URL", "we look at the form of a target when it is complete"},
  };
  return rows;
}

// llhttp refuses, we do not.
const Quirks::Table& looser() {
  static const Quirks::Table rows = {
      {"head HPE_INVALID_CONTENT_LENGTH: Invalid character in Content-Length",
       "a tab behind the value is OWS (RFC 9110 5.6.3)"},
      {"head HPE_INVALID_TRANSFER_ENCODING", "a tab behind the value is OWS (RFC 9110 5.6.3)"},
      {"body HPE_INVALID_CHUNK_SIZE: Invalid character in chunk size",
       "white space before a chunk extension is BWS (RFC 9112 7.1.1)"},
      {"body HPE_STRICT: Invalid character in chunk extensions",
       "BWS and quoted-pair in a chunk extension (RFC 9112 7.1.1)"},
      {"body HPE_INVALID_CONTENT_LENGTH", "a trailer frames nothing (RFC 9110 6.5.1)"},
      {"head HPE_INVALID_VERSION", "HTTP/1.2 is read as HTTP/1.1 (RFC 9110 6.2)"},
      {"body HPE_UNEXPECTED_CONTENT_LENGTH: Duplicate Content-Length", "the same"},
  };
  return rows;
}

void expect_agreement(std::string_view bytes, Quirks& quirks) {
  const Opinion ours = our_opinion(bytes);
  const Opinion theirs = llhttp_opinion(bytes);
  if (quirks.allow(ours, theirs)) return;
  ADD_FAILURE() << "ours   " << ours << "\nllhttp " << theirs << "\nbytes  "
                << ::testing::PrintToString(std::string(bytes));
}

std::vector<std::string> inputs() {
  std::vector<std::string> all;
  for (const CorpusRow& row : request_corpus()) all.push_back(row.bytes);
  all.push_back("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\nContent-Length: 0\r\n\r\n");
  all.push_back("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding:\r\n\r\n");
  all.push_back("GET / HTTP/1.9");
  all.push_back("POST / HTTP/1.1\r\nContent-Length: 18446744073709551616");
  all.push_back("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2");
  const std::string head =
      "POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& body : chunked_bodies()) all.push_back(head + body);
  return all;
}

// One test, because an entry of the tables may be needed by any of the three.
TEST(LlhttpDifferential, AgreesButForTheQuirksAndNeedsAllOfThem) {
  Quirks quirks(stricter(), sooner(), looser());
  const auto check = [&](const std::string& bytes) { expect_agreement(bytes, quirks); };
  const std::vector<std::string> all = inputs();
  for (const std::string& bytes : all) check(bytes);
  try_every_byte_at_every_place(
      "POST /a?b HTTP/1.1\r\nHost: a.b:1\r\nContent-Length: 3\r\nX-Y: z\r\n\r\nabc", check);
  try_mutations(all, {"Host: a\r\n", "Expect: 100-continue\r\n", "GET / "}, check);
  quirks.expect_all_needed();
}

#else

TEST(LlhttpDifferential, HasLlhttp) { SSX_NEEDS_PEER(false, "the sources of node-llhttp"); }

#endif

}  // namespace
}  // namespace ssx::http::test
