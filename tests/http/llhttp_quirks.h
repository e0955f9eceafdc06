// What the differential tests against llhttp share: the tables of quirks, and the bytes that
// somebody sends who wants to be misunderstood.
//
// Thread: the test's
// Owner:  the test
// Life:   one test
// Bounds: none of its own
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/http/llhttp_door.h"
#include "tests/support/full_size.h"

namespace ssx::http::test {

struct Quirk {
  std::string_view reason;  ///< of the one who refuses
  std::string_view why;     ///< it is right all the same
};

inline bool refused(const Opinion& opinion) {
  return opinion.state == Opinion::State::kRefusedHead ||
         opinion.state == Opinion::State::kRefusedBody;
}

inline bool same_head(const Opinion& ours, const Opinion& theirs) {
  return ours.head_size == theirs.head_size && ours.method == theirs.method &&
         ours.target == theirs.target && ours.status == theirs.status &&
         ours.major == theirs.major && ours.minor == theirs.minor && ours.fields == theirs.fields &&
         ours.chunked == theirs.chunked && ours.content_length == theirs.content_length;
}

/// The differences that may be, and how often each was.
class Quirks {
 public:
  using Table = std::vector<Quirk>;

  Quirks(Table stricter, Table sooner, Table looser)
      : stricter_(std::move(stricter)), sooner_(std::move(sooner)), looser_(std::move(looser)) {}

  /// True when both read the same message, or one refuses what the tables say it may.
  bool allow(const Opinion& ours, const Opinion& theirs) {
    if (ours.head_accepted() && theirs.head_accepted() && !same_head(ours, theirs)) return false;
    // The other one refuses too, or has not made up its mind: bytes end early here and there.
    const bool they_accept = theirs.head_accepted() && !refused(theirs);
    if (ours.state == Opinion::State::kRefusedHead && !they_accept) return true;
    if (ours.state == theirs.state) {
      return refused(ours) ||
             (ours.message_size == theirs.message_size && ours.body == theirs.body);
    }
    if (refused(ours) && excuse(ours.reason, stricter_)) return true;
    if (ours.state == Opinion::State::kNeedMoreHead && excuse(theirs.reason, sooner_)) return true;
    return refused(theirs) && excuse(theirs.reason, looser_);
  }

  /// A row that no input needs is to go.
  void expect_all_needed() const {
    for (const auto* const table : {&stricter_, &sooner_, &looser_}) {
      for (const Quirk& quirk : *table) EXPECT_TRUE(needed_.contains(quirk.reason)) << quirk.reason;
    }
  }

 private:
  bool excuse(std::string_view reason, const Table& table) {
    const auto quirk = std::ranges::find_if(
        table, [reason](const Quirk& row) { return reason.starts_with(row.reason); });
    if (quirk == table.end()) return false;
    ++needed_[quirk->reason];
    return true;
  }

  Table stricter_;  ///< we refuse, llhttp does not (or only later)
  Table sooner_;    ///< llhttp refuses the head, we have not seen all of it
  Table looser_;    ///< llhttp refuses, we do not
  std::map<std::string_view, int> needed_;
};

/// Behind a head that says "chunked".
inline const std::vector<std::string>& chunked_bodies() {
  static const std::vector<std::string> bodies = {
      "5\r\nhello\r\n0\r\n\r\n",
      "5;a\t=\"b\\c\"\r\nhello\r\n0\r\n\r\n",
      "5;=b\r\nhello\r\n0\r\n\r\n",
      "0\r\nContent-Length: 18446744073709551616\r\n\r\n",
      "0\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n",
      "5;a=b\r\nhello\r\n0\r\n\r\n",
      "0\r\nA: b\r\nC:\r\n\r\n",
      "1\r\nx\r\n2\r\nyz\r\n00\r\n\r\n",
      "5;a=\"b c\"\r\nhello\r\n0;x\r\n\r\nGET / HTTP/1.1\r\n",
      "1\r\nx\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n",
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
      "0\r\nA: b\r\n c\r\n\r\n"};
  return bodies;
}

/// One change that somebody who wants to be misunderstood would make. `words`: what only requests,
/// or only responses, have.
inline void mutate(std::string& bytes, const std::vector<std::string>& others,
                   const std::vector<std::string>& words, std::mt19937& random) {
  using namespace std::string_literals;
  static const std::string kBytes =
      "\r\n\t :,;=\"'()/\\?#%&*+-.019afAFGgxX_~\x00\x01\x0b\x1f\x7f\x80\xff"s;
  static const std::vector<std::string> kWords = {"\r\n",
                                                  "\r\n\r\n",
                                                  "\r\n ",
                                                  "HTTP/1.1",
                                                  "HTTP/1.0",
                                                  "Content-Length: 5\r\n",
                                                  "Content-Length: 0\r\n",
                                                  "Transfer-Encoding: chunked\r\n",
                                                  "chunked",
                                                  ", chunked",
                                                  "Connection: close\r\n",
                                                  "0\r\n\r\n",
                                                  "5\r\nhello\r\n"};
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
    case 4: {
      const std::size_t word = below(kWords.size() + words.size());
      bytes.insert(at, word < kWords.size() ? kWords[word] : words[word - kWords.size()]);
      break;
    }
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

/// check(bytes) for seeded mutations of all of them.
template <class Check>
void try_mutations(const std::vector<std::string>& all, const std::vector<std::string>& words,
                   const Check& check) {
  for (unsigned seed = ssx::test::full_size(100U, 10'000U); seed-- > 0;) {
    std::mt19937 random(seed);
    for (const std::string& original : all) {
      std::string bytes = original;
      for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
        mutate(bytes, all, words, random);
      }
      check(bytes);
    }
  }
}

/// check(bytes) with every byte at every place of a small message.
template <class Check>
void try_every_byte_at_every_place(const std::string& message, const Check& check) {
  for (std::size_t at = 0; at < message.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string bytes = message;
      bytes[at] = static_cast<char>(value);
      check(bytes);
    }
  }
}

}  // namespace ssx::http::test
