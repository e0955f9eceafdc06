// Our reading of requests against llhttp's in strict mode, over the corpus, over every byte at
// every place of a small head (A14), and over seeded mutations. A difference is a failure unless
// the tables of quirks below have it; an entry that is never needed is a failure too.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "http/error.h"
#include "tests/http/request_corpus.h"
#include "tests/support/full_size.h"
#include "tests/support/peer.h"
#ifdef SSX_HAVE_LLHTTP
#include "tests/http/llhttp_door.h"
#endif

namespace ssx::http::test {
namespace {

#ifdef SSX_HAVE_LLHTTP

using namespace std::string_literals;
using State = Opinion::State;

struct Quirk {
  std::string_view reason;  ///< of the one who refuses
  std::string_view why;     ///< it is right all the same
};

// We refuse, llhttp does not (or only later).
const std::vector<Quirk>& stricter() {
  static const std::vector<Quirk> rows = {
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
const std::vector<Quirk>& sooner() {
  static const std::vector<Quirk> rows = {
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
const std::vector<Quirk>& looser() {
  static const std::vector<Quirk> rows = {
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

std::map<std::string_view, int>& uses() {
  static std::map<std::string_view, int> counts;
  return counts;
}

bool excused(std::string_view reason, const std::vector<Quirk>& quirks) {
  const auto quirk = std::ranges::find_if(
      quirks, [reason](const Quirk& row) { return reason.starts_with(row.reason); });
  if (quirk == quirks.end()) return false;
  ++uses()[quirk->reason];
  return true;
}

bool refused(const Opinion& opinion) {
  return opinion.state == State::kRefusedHead || opinion.state == State::kRefusedBody;
}

bool same_head(const Opinion& ours, const Opinion& theirs) {
  return ours.head_size == theirs.head_size && ours.method == theirs.method &&
         ours.target == theirs.target && ours.major == theirs.major && ours.minor == theirs.minor &&
         ours.fields == theirs.fields && ours.chunked == theirs.chunked &&
         ours.content_length == theirs.content_length;
}

// True when both read the same message, or one refuses what the tables say it may.
bool agree(std::string_view bytes) {
  const Opinion ours = our_opinion(bytes);
  const Opinion theirs = llhttp_opinion(bytes);
  if (ours.head_accepted() && theirs.head_accepted() && !same_head(ours, theirs)) return false;
  // The other one refuses too, or has not made up its mind: bytes end early here and there.
  const bool they_accept = theirs.head_accepted() && !refused(theirs);
  if (ours.state == State::kRefusedHead && !they_accept) return true;
  if (ours.state == theirs.state) {
    return refused(ours) || (ours.message_size == theirs.message_size && ours.body == theirs.body);
  }
  if (refused(ours) && excused(ours.reason, stricter())) return true;
  if (ours.state == State::kNeedMoreHead && excused(theirs.reason, sooner())) return true;
  return refused(theirs) && excused(theirs.reason, looser());
}

void expect_agreement(std::string_view bytes) {
  if (agree(bytes)) return;
  ADD_FAILURE() << "ours   " << our_opinion(bytes) << "\nllhttp " << llhttp_opinion(bytes)
                << "\nbytes  " << ::testing::PrintToString(std::string(bytes));
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
  for (const char* const body : {"5\r\nhello\r\n0\r\n\r\n",
                                 "5;a\t=\"b\\c\"\r\nhello\r\n0\r\n\r\n",
                                 "5;=b\r\nhello\r\n0\r\n\r\n",
                                 "0\r\nContent-Length: 18446744073709551616\r\n\r\n",
                                 "0\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n",
                                 "5;a=b\r\nhello\r\n0\r\n\r\n",
                                 "0\r\nA: b\r\nC:\r\n\r\n",
                                 "1\r\nx\r\n2\r\nyz\r\n00\r\n\r\n",
                                 "5;a=\"b c\"\r\nhello\r\n0;x\r\n\r\nGET / HTTP/1.1\r\n",
                                 "A\r\n0123456789\r\na;x;y=z\r\n0123456789\r\n0\r\nT: 1\r\n\r\n",
                                 "5 ;a\r\nhello\r\n0\r\n\r\n",
                                 "5\nhello\r\n0\r\n\r\n",
                                 "5\r\nhelloX\r\n0\r\n\r\n",
                                 "5\r\nhello\n0\r\n\r\n",
                                 "0x5\r\nhello\r\n0\r\n\r\n",
                                 "-5\r\nhello\r\n",
                                 "g\r\n",
                                 "\r\n",
                                 "5;\r\nhello\r\n0\r\n\r\n",
                                 "ffffffffffffffff1\r\n",
                                 "8000000000000000\r\n",
                                 "0\r\nXX\r\n\r\n",
                                 "0\r\nA : b\r\n\r\n",
                                 "0\r\nA: b\r\n c\r\n\r\n"}) {
    all.push_back(head + body);
  }
  return all;
}

// One change that somebody who wants to be misunderstood would make.
void mutate(std::string& bytes, const std::vector<std::string>& others, std::mt19937& random) {
  static const std::string kBytes =
      "\r\n\t :,;=\"'()/\\?#%&*+-.019afAFGgxX_~\x00\x01\x0b\x1f\x7f\x80\xff"s;
  static const std::vector<std::string> kWords = {"\r\n",
                                                  "\r\n\r\n",
                                                  "\r\n ",
                                                  "HTTP/1.1",
                                                  "HTTP/1.0",
                                                  "Host: a\r\n",
                                                  "Content-Length: 5\r\n",
                                                  "Content-Length: 0\r\n",
                                                  "Transfer-Encoding: chunked\r\n",
                                                  "chunked",
                                                  ", chunked",
                                                  "Connection: close\r\n",
                                                  "Expect: 100-continue\r\n",
                                                  "0\r\n\r\n",
                                                  "5\r\nhello\r\n",
                                                  "GET / "};
  const auto below = [&random](std::size_t size) { return size == 0 ? 0 : random() % size; };
  const std::size_t at = below(bytes.size());
  switch (random() % 8) {
    case 0:
    case 1:
      if (!bytes.empty()) bytes[at] = kBytes[below(kBytes.size())];
      break;
    case 2:
      bytes.insert(at, 1, kBytes[below(kBytes.size())]);
      break;
    case 3:
      bytes.erase(at, 1 + below(3));
      break;
    case 4:
      bytes.insert(at, kWords[below(kWords.size())]);
      break;
    case 5:
      bytes.insert(at, bytes.substr(below(bytes.size()), below(20)));
      break;
    case 6: {
      const std::string& other = others[below(others.size())];
      bytes = bytes.substr(0, at) + other.substr(below(other.size() + 1));
      break;
    }
    default:
      if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
      break;
  }
}

void try_corpus() {
  for (const std::string& bytes : inputs()) expect_agreement(bytes);
}

void try_every_byte_at_every_place() {
  const std::string head =
      "POST /a?b HTTP/1.1\r\nHost: a.b:1\r\nContent-Length: 3\r\nX-Y: z\r\n\r\nabc";
  for (std::size_t at = 0; at < head.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string bytes = head;
      bytes[at] = static_cast<char>(value);
      expect_agreement(bytes);
    }
  }
}

void try_mutations() {
  const std::vector<std::string> all = inputs();
  for (unsigned seed = ssx::test::full_size(100U, 10'000U); seed-- > 0;) {
    std::mt19937 random(seed);
    for (const std::string& original : all) {
      std::string bytes = original;
      for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
        mutate(bytes, all, random);
      }
      expect_agreement(bytes);
    }
  }
}

// One test, because an entry of the tables may be needed by any of the three.
TEST(LlhttpDifferential, AgreesButForTheQuirksAndNeedsAllOfThem) {
  try_corpus();
  try_every_byte_at_every_place();
  try_mutations();
  for (const auto* const quirks : {&stricter(), &sooner(), &looser()}) {
    for (const Quirk& quirk : *quirks) EXPECT_GT(uses()[quirk.reason], 0) << quirk.reason;
  }
}

#else

TEST(LlhttpDifferential, HasLlhttp) { SSX_NEEDS_PEER(false, "the sources of node-llhttp"); }

#endif

}  // namespace
}  // namespace ssx::http::test
