#include "ssxrver/plugin/file/elf_head.h"

#include <fmt/format.h>

#include <bit>
#include <concepts>
#include <cstring>

namespace ssx {
namespace {

static_assert(std::endian::native == std::endian::little && sizeof(void*) == 8);

// Places in the head of an ELF file of 64 bits, and in each of its program headers.
constexpr std::size_t kClassAt = 4;
constexpr std::size_t kOrderAt = 5;
constexpr std::size_t kTypeAt = 16;
constexpr std::size_t kTableAt = 32;
constexpr std::size_t kEntrySizeAt = 54;
constexpr std::size_t kEntriesAt = 56;
constexpr std::size_t kHeadSize = 64;
constexpr std::size_t kEntrySize = 56;
constexpr std::size_t kOffsetInEntry = 8;
constexpr std::size_t kSizeInEntry = 32;

constexpr unsigned kClass64 = 2;
constexpr unsigned kLittleEndian = 1;
constexpr std::uint16_t kSharedObject = 3;
constexpr std::uint32_t kLoaded = 1;

template <std::unsigned_integral T>
T load(ByteView bytes, std::size_t at) noexcept {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::string object_to_elf(ByteView head, std::uint64_t file_size) {
  if (!as_text(head).starts_with("\177ELF")) return "is no shared library: it does not begin so";
  if (head.size() < kHeadSize) return fmt::format("is cut off: it has {} bytes", file_size);
  if (load<std::uint8_t>(head, kClassAt) != kClass64 ||
      load<std::uint8_t>(head, kOrderAt) != kLittleEndian) {
    return "is a library for another kind of machine";
  }
  if (const auto type = load<std::uint16_t>(head, kTypeAt); type != kSharedObject) {
    return fmt::format("is no shared library: its ELF type is {}, wanted {}", type, kSharedObject);
  }
  const auto table = load<std::uint64_t>(head, kTableAt);
  const auto entries = load<std::uint16_t>(head, kEntriesAt);
  const std::uint64_t table_size = std::uint64_t{entries} * kEntrySize;
  if (table > file_size || table_size > file_size - table) {
    return fmt::format("is cut off: it has {} bytes", file_size);
  }
  if (load<std::uint16_t>(head, kEntrySizeAt) != kEntrySize || table > head.size() ||
      table_size > head.size() - table) {
    return "is no shared library: its program headers are not where a linker puts them";
  }
  for (std::size_t at = table; at < table + table_size; at += kEntrySize) {
    if (load<std::uint32_t>(head, at) != kLoaded) continue;
    const auto offset = load<std::uint64_t>(head, at + kOffsetInEntry);
    const auto size = load<std::uint64_t>(head, at + kSizeInEntry);
    if (offset > file_size || size > file_size - offset) {
      return fmt::format("is cut off: it has {} bytes, and says that it has {} or more", file_size,
                         offset + size);
    }
  }
  return {};
}

}  // namespace ssx
