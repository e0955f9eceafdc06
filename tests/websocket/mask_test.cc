#include "websocket/mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/guard_page.h"

namespace ssx::websocket {
namespace {

constexpr MaskKey kKey = {std::byte{0x37}, std::byte{0xFA}, std::byte{0x21}, std::byte{0x3D}};

// What this CPU can run; always at least kScalar.
std::vector<Isa> isas() {
  std::vector<Isa> all;
  for (const Isa isa : {Isa::kScalar, Isa::kSsse3, Isa::kAvx2}) {
    if (isa <= best_isa()) all.push_back(isa);
  }
  return all;
}

void fill(MutableBytes bytes) {
  unsigned state = 1;
  for (std::byte& byte : bytes) {
    state = state * 1103515245 + 12345;
    byte = static_cast<std::byte>(state >> 16);
  }
}

// RFC 6455 5.3, as it is written.
std::vector<std::byte> masked(ByteView bytes, std::size_t offset) {
  std::vector<std::byte> out(bytes.begin(), bytes.end());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] ^= kKey[(i + offset) % 4];
  return out;
}

// RFC 6455 5.7: "Hello", masked.
TEST(Mask, IsTheExampleOfTheRfc) {
  std::string text = "Hello";
  apply_mask({reinterpret_cast<std::byte*>(text.data()), text.size()}, kKey, 0);
  EXPECT_EQ(text, "\x7f\x9f\x4d\x51\x58");
}

// The bytes within reach of a store that is too long must stay as they were.
TEST(Mask, IsTheDefinitionForEverySizeAlignmentAndOffset) {
  // Up to some steps of each kind; and where large ones begin to be aligned.
  constexpr std::size_t kSizeMax = 300;
  constexpr std::size_t kLarge[] = {4095, 4096, 4097, 4127, 4128, 4129};
  std::vector<std::size_t> sizes(kSizeMax + 1);
  std::iota(sizes.begin(), sizes.end(), 0);
  sizes.insert(sizes.end(), std::begin(kLarge), std::end(kLarge));
  constexpr std::size_t kAlignments = 64;
  alignas(64) static std::byte memory[kAlignments + kLarge[5] + 64];
  std::vector<std::byte> before(sizeof memory);
  fill(before);
  // What the memory would be if all of it were masked, with each of the keys at its front.
  const std::vector<std::byte> all[] = {masked(before, 0), masked(before, 1), masked(before, 2),
                                        masked(before, 3)};
  for (const Isa isa : isas()) {
    for (const std::size_t size : sizes) {
      for (std::size_t place = 0; place < kAlignments * 4; ++place) {
        const std::size_t alignment = place / 4;
        const std::size_t offset = place % 4;
        const std::size_t end = alignment + size;
        const std::byte* const expected = all[(64 + offset - alignment) % 4].data();
        std::memcpy(memory, before.data(), sizeof memory);
        apply_mask(MutableBytes(memory).subspan(alignment, size), kKey, offset, isa);
        ASSERT_TRUE(std::memcmp(memory, before.data(), alignment) == 0 &&
                    std::memcmp(memory + alignment, expected + alignment, size) == 0 &&
                    std::memcmp(memory + end, &before[end], sizeof memory - end) == 0)
            << "isa " << static_cast<int>(isa) << " size " << size << " at " << alignment
            << " offset " << offset;
      }
    }
  }
}

TEST(Mask, StartsAnywhereInAPayload) {
  std::vector<std::byte> before(200);
  fill(before);
  for (const Isa isa : isas()) {
    for (const std::size_t offset : {0UL, 1UL, 2UL, 3UL, 4UL, 7UL, 1001UL, ~0UL, ~0UL - 1}) {
      for (std::size_t size = 0; size <= before.size(); ++size) {
        std::vector<std::byte> bytes(before.begin(), before.begin() + static_cast<long>(size));
        const auto expected = masked(bytes, offset % 4);
        apply_mask(bytes, kKey, offset, isa);
        ASSERT_EQ(bytes, expected) << "offset " << offset << " size " << size;
      }
    }
  }
}

TEST(Mask, TouchesNothingBesideAGuardPage) {
  for (std::size_t size = 0; size <= 300; ++size) {
    test::GuardedBytes memory(size);
    for (const Isa isa : isas()) {
      fill(memory.bytes());
      const auto expected = masked(memory.bytes(), 1);
      apply_mask(memory.bytes(), kKey, 1, isa);
      ASSERT_TRUE(std::ranges::equal(memory.bytes(), expected)) << size;
    }
  }
}

// A message is put together behind what there is of it: over its own header, for example.
TEST(Mask, CopiesToAnotherPlaceOrToOneThatBeginsBefore) {
  constexpr std::size_t kRoom = 5000;
  std::vector<std::byte> before(kRoom);
  fill(before);
  for (const Isa isa : isas()) {
    for (std::size_t distance = 0; distance <= 140; ++distance) {
      for (const std::size_t size : {0UL, 1UL, 3UL, 4UL, 31UL, 32UL, 63UL, 64UL, 127UL, 128UL,
                                     129UL, 255UL, 256UL, 300UL, 459UL, 4500UL}) {
        std::vector<std::byte> bytes = before;
        const ByteView from = ByteView(bytes).subspan(distance, size);
        const auto expected = masked(from, 3);
        copy_masked(from, bytes.data(), kKey, 3, isa);
        ASSERT_TRUE(std::ranges::equal(ByteView(bytes).first(size), expected))
            << "distance " << distance << " size " << size;
        std::vector<std::byte> elsewhere(size);
        copy_masked(ByteView(before).subspan(distance, size), elsewhere.data(), kKey, 3, isa);
        ASSERT_EQ(elsewhere, expected);
      }
    }
  }
}

}  // namespace
}  // namespace ssx::websocket
