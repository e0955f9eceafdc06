// Our reading of responses against llhttp's in strict mode, over a corpus, over every byte at every
// place of a small head, and over seeded mutations. A difference is a failure unless the tables of
// quirks below have it; an entry that is never needed is a failure too.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "http/error.h"
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
const std::vector<Quirk>& sooner() {
  static const std::vector<Quirk> rows = {
      {"head HPE_INVALID_VERSION", "we judge a version at the end of its line"},
      {"head HPE_INVALID_CONTENT_LENGTH: Content-Length overflow",
       "we count digits at the end of the line"},
      {"head HPE_UNEXPECTED_CONTENT_LENGTH: Duplicate Content-Length",
       "we look at the lengths together, when all fields are there"},
  };
  return rows;
}

// llhttp refuses, we do not.
const std::vector<Quirk>& looser() {
  static const std::vector<Quirk> rows = {
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

constexpr std::string_view kBodiless = "a body behind 1xx, 204 or 304";
// OWS behind a value is no part of it (RFC 9110 5.5); llhttp then reads to the end of connection.
constexpr std::string_view kTabbed = "a tab behind \"chunked\"";

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
  return ours.head_size == theirs.head_size && ours.status == theirs.status &&
         ours.major == theirs.major && ours.minor == theirs.minor && ours.fields == theirs.fields &&
         ours.chunked == theirs.chunked && ours.content_length == theirs.content_length;
}

// RFC 9112 6.3, rule 1: such a response ends with its head, whatever the fields say.
bool is_bodiless(const Opinion& ours) {
  const bool announced = ours.chunked || ours.content_length.value_or(0) > 0;
  return ours.state == State::kDone && announced &&
         (ours.status < 200 || ours.status == 204 || ours.status == 304);
}

// True when both read the same message, or one refuses what the tables say it may.
bool agree(std::string_view bytes, bool to_head) {
  const Opinion ours = our_response_opinion(bytes, to_head);
  const Opinion theirs = llhttp_response_opinion(bytes, to_head);
  if (theirs.head_accepted() && ours.chunked && !theirs.chunked && bytes.find('\t') != bytes.npos) {
    ++uses()[kTabbed];
    return true;
  }
  if (ours.head_accepted() && theirs.head_accepted() && !same_head(ours, theirs)) return false;
  if (theirs.head_accepted() && is_bodiless(ours)) {
    ++uses()[kBodiless];
    return true;
  }
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
  for (const bool to_head : {false, true}) {
    if (agree(bytes, to_head)) continue;
    ADD_FAILURE() << "ours   " << our_response_opinion(bytes, to_head) << "\nllhttp "
                  << llhttp_response_opinion(bytes, to_head) << "\nbytes  "
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
  for (const char* const body :
       {"5\r\nhello\r\n0\r\n\r\n", "5;a\t=\"b\\c\"\r\nhello\r\n0\r\n\r\n",
        "5;=b\r\nhello\r\n0\r\n\r\n", "0\r\nContent-Length: 18446744073709551616\r\n\r\n",
        "0\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n", "0\r\nA: b\r\nC:\r\n\r\n",
        "1\r\nx\r\n2\r\nyz\r\n00\r\n\r\nHTTP/1.1 200 OK\r\n", "5 ;a\r\nhello\r\n0\r\n\r\n",
        "5\nhello\r\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "g\r\n",
        "5;\r\nhello\r\n0\r\n\r\n", "ffffffffffffffff1\r\n", "8000000000000000\r\n",
        "0\r\nXX\r\n\r\n", "0\r\nA : b\r\n\r\n", "0\r\nA: b\r\n c\r\n\r\n"}) {
    all.push_back(head + body);
  }
  return all;
}

// One change that a server that wants to be misunderstood would make.
void mutate(std::string& bytes, const std::vector<std::string>& others, std::mt19937& random) {
  static const std::string kBytes =
      "\r\n\t :,;=\"'()/\\?#%&*+-.019afAFGgxX_~\x00\x01\x0b\x1f\x7f\x80\xff"s;
  static const std::vector<std::string> kWords = {"\r\n",
                                                  "\r\n\r\n",
                                                  "\r\n ",
                                                  "HTTP/1.1",
                                                  "HTTP/1.0",
                                                  "204 ",
                                                  "304 ",
                                                  "100 ",
                                                  "chunked",
                                                  "Content-Length: 5\r\n",
                                                  ", chunked",
                                                  "0\r\n\r\n",
                                                  "5\r\nhello\r\n",
                                                  "HTTP/1.1 200 OK\r\n",
                                                  "Content-Length: 0\r\n",
                                                  "Transfer-Encoding: chunked\r\n",
                                                  "Connection: close\r\n"};
  const auto below = [&random](std::size_t size) { return size == 0 ? 0 : random() % size; };
  const std::size_t at = below(bytes.size());
  switch (random() % 7) {
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
    case 5: {
      const std::string& other = others[below(others.size())];
      bytes = bytes.substr(0, at) + other.substr(below(other.size() + 1));
      break;
    }
    default:
      if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
      break;
  }
}

void try_every_byte_at_every_place() {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Y: z\r\n\r\nabc";
  for (std::size_t at = 0; at < head.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string bytes = head;
      bytes[at] = static_cast<char>(value);
      expect_agreement(bytes);
    }
  }
}

void try_mutations(const std::vector<std::string>& all) {
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
TEST(LlhttpResponseDifferential, AgreesButForTheQuirksAndNeedsAllOfThem) {
  const std::vector<std::string> all = inputs();
  for (const std::string& bytes : all) expect_agreement(bytes);
  try_every_byte_at_every_place();
  try_mutations(all);
  for (const auto* const quirks : {&stricter(), &sooner(), &looser()}) {
    for (const Quirk& quirk : *quirks) EXPECT_GT(uses()[quirk.reason], 0) << quirk.reason;
  }
  EXPECT_GT(uses()[kBodiless], 0);
  EXPECT_GT(uses()[kTabbed], 0);
}

#else

TEST(LlhttpResponseDifferential, HasLlhttp) { SSX_NEEDS_PEER(false, "the sources of node-llhttp"); }

#endif

}  // namespace
}  // namespace ssx::http::test
