#include "http/scan.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/guard_page.h"

namespace ssx::http {
namespace {

using Skip = const char* (*)(Isa, const char*, const char*);

// The three sets as the RFCs spell them, byte by byte and without a table.
bool in_token(unsigned char byte) {
  return std::isalnum(byte) != 0 || (byte != 0 && std::strchr("!#$%&'*+-.^_`|~", byte) != nullptr);
}
bool in_target(unsigned char byte) {
  return byte > 0x20 && byte < 0x7F && std::strchr("\"#<>\\", byte) == nullptr;
}
bool in_value(unsigned char byte) { return byte == '\t' || (byte >= 0x20 && byte != 0x7F); }

struct Set {
  const char* name;
  Skip skip;
  bool (*contains)(unsigned char);
  char member;
};
constexpr Set kSets[] = {{"token", skip_token, in_token, 'x'},
                         {"target", skip_target, in_target, '/'},
                         {"value", skip_value, in_value, '\xe9'}};

// What this CPU can run; always at least kScalar.
std::vector<Isa> isas() {
  std::vector<Isa> all;
  for (const Isa isa : {Isa::kScalar, Isa::kSsse3, Isa::kAvx2}) {
    if (isa <= best_isa()) all.push_back(isa);
  }
  return all;
}

TEST(Scan, StopsAtExactlyTheBytesOutsideTheSet) {
  for (const Set& set : kSets) {
    for (const Isa isa : isas()) {
      for (unsigned value = 0; value < 256; ++value) {
        // Far enough inside for every kind of load.
        std::string text(70, set.member);
        text[40] = static_cast<char>(value);
        const char* const stop = set.skip(isa, text.data(), text.data() + text.size());
        const bool member = set.contains(static_cast<unsigned char>(value));
        EXPECT_EQ(stop - text.data(), member ? 70 : 40)
            << set.name << " isa " << static_cast<int>(isa) << " byte " << value;
      }
    }
  }
}

// Every length, every place of the first byte that does not belong, at both edges of a page.
TEST(Scan, AgreesWithScalarForEveryLengthAndOffsetAtAGuardPage) {
  constexpr std::size_t kLongest = 72;
  for (const Set& set : kSets) {
    for (std::size_t size = 0; size <= kLongest; ++size) {
      ssx::test::GuardedBytes memory(size);
      char* const first = reinterpret_cast<char*>(memory.bytes().data());
      std::memset(first, set.member, size);
      for (std::size_t bad = 0; bad <= size; ++bad) {
        if (bad < size) first[bad] = '\0';
        for (std::size_t from = 0; from <= bad; ++from) {
          const char* const expected = set.skip(Isa::kScalar, first + from, first + size);
          for (const Isa isa : isas()) {
            ASSERT_EQ(set.skip(isa, first + from, first + size), expected)
                << set.name << " isa " << static_cast<int>(isa) << " size " << size << " bad "
                << bad << " from " << from;
          }
        }
        if (bad < size) first[bad] = set.member;
      }
    }
  }
}

TEST(Scan, AgreesWithScalarOnRandomBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 200, '\0');
    for (char& byte : text) {
      byte = static_cast<char>(random() % 8 == 0 ? random() % 256 : 'a' + random() % 26);
    }
    for (const Set& set : kSets) {
      const char* const last = text.data() + text.size();
      const char* const expected = set.skip(Isa::kScalar, text.data(), last);
      for (const Isa isa : isas()) ASSERT_EQ(set.skip(isa, text.data(), last), expected) << text;
    }
  }
}

TEST(Scan, SeesEveryEmptyAndDotSegment) {
  constexpr std::size_t kLongest = 60;
  for (std::size_t size = 1; size <= kLongest; ++size) {
    ssx::test::GuardedBytes memory(size);
    char* const first = reinterpret_cast<char*>(memory.bytes().data());
    char* const last = first + size;
    for (const Isa isa : isas()) {
      std::memset(first, 'a', size);
      first[0] = '/';
      EXPECT_TRUE(is_plain_path(isa, first, last)) << size;
      for (std::size_t at = 1; at + 1 < size; ++at) {
        for (const std::string_view pair : {"//", "/.", "./", "/a", ".."}) {
          std::memcpy(first + at, pair.data(), 2);
          const std::string_view path(first, size);
          const bool plain = path.find("//") == path.npos && path.find("/.") == path.npos;
          ASSERT_EQ(is_plain_path(isa, first, last), plain) << path;
          std::memset(first + at, 'a', 2);
        }
      }
    }
  }
}

TEST(Scan, TakesTheBestSetThatTheCpuHas) {
#if defined(SSX_X86_SIMD)
  EXPECT_EQ(best_isa() == Isa::kAvx2,
            __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0);
#else
  EXPECT_EQ(best_isa(), Isa::kScalar);
#endif
}

}  // namespace
}  // namespace ssx::http
