#include "http/field_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace ssx::http {
namespace {

constexpr std::array<std::string_view, kFieldNameCount> kNames = {
    "",
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "access-control-request-headers",
    "access-control-request-method",
    "authorization",
    "cache-control",
    "connection",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-length",
    "content-location",
    "content-range",
    "content-type",
    "cookie",
    "date",
    "dnt",
    "expect",
    "forwarded",
    "from",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "last-event-id",
    "max-forwards",
    "origin",
    "pragma",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "referer",
    "sec-ch-ua",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-fetch-site",
    "sec-fetch-user",
    "sec-websocket-extensions",
    "sec-websocket-key",
    "sec-websocket-protocol",
    "sec-websocket-version",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "upgrade-insecure-requests",
    "user-agent",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    "x-request-id",
    "x-requested-with",
};

constexpr std::size_t kShortest = 2;
constexpr std::size_t kLongest = 30;
constexpr unsigned kHashBits = 8;

// Length, first and last two letters tell all names apart, and this multiplier spreads them over
// 256 slots without a collision. Whoever adds a name and is stopped by the static_assert below
// tries odd multipliers until one fits.
constexpr std::uint32_t kMultiplier = 0xae97ba95;

constexpr std::uint32_t byte_at(std::string_view text, std::size_t index) noexcept {
  return static_cast<unsigned char>(text[index]);
}

constexpr std::size_t hash(std::string_view text) noexcept {
  const std::uint32_t letters =
      byte_at(text, text.size() - 2) | byte_at(text, text.size() - 1) << 8 | byte_at(text, 0) << 16;
  const auto size = static_cast<std::uint32_t>(text.size());
  return ((letters | 0x202020U | size << 24) * kMultiplier) >> (32 - kHashBits);
}

// One name as it is compared: `(byte | fold) == lower` holds for both cases of a letter and for
// nothing else, because the fold is 0x20 under letters and 0 under "-".
struct alignas(64) Slot {
  std::array<char, kLongest> lower{};
  std::array<char, kLongest> fold{};
  std::uint8_t size = 0;
  FieldName name = FieldName::kOther;
};

/// Which of the names may be meant, by hash; 0: none.
constexpr std::array<std::uint8_t, 1U << kHashBits> make_index() {
  std::array<std::uint8_t, 1U << kHashBits> index{};
  for (std::size_t i = 1; i < kNames.size(); ++i) {
    std::uint8_t& slot = index[hash(kNames[i])];
    if (slot != 0) return {};  // a collision: an empty table, which the assertion sees
    slot = static_cast<std::uint8_t>(i);
  }
  return index;
}

constexpr std::array<Slot, kFieldNameCount> make_slots() {
  std::array<Slot, kFieldNameCount> slots{};
  for (std::size_t i = 1; i < kNames.size(); ++i) {
    Slot& slot = slots[i];
    slot.size = static_cast<std::uint8_t>(kNames[i].size());
    slot.name = static_cast<FieldName>(i);
    for (std::size_t k = 0; k < kNames[i].size(); ++k) {
      slot.lower[k] = kNames[i][k];
      slot.fold[k] = kNames[i][k] == '-' ? '\0' : '\x20';
    }
  }
  return slots;
}

constexpr auto kIndex = make_index();
constexpr auto kSlots = make_slots();
static_assert(kIndex[hash("host")] == static_cast<std::uint8_t>(FieldName::kHost),
              "two names share a slot");
static_assert(std::ranges::all_of(kNames, [](std::string_view name) {
  return name.empty() || (name.size() >= kShortest && name.size() <= kLongest);
}));

template <class Word>
bool word_differs(const char* text, const Slot& slot, std::size_t at) noexcept {
  Word byte, lower, fold;
  std::memcpy(&byte, text + at, sizeof byte);
  std::memcpy(&lower, slot.lower.data() + at, sizeof lower);
  std::memcpy(&fold, slot.fold.data() + at, sizeof fold);
  return static_cast<Word>(byte | fold) != lower;
}

// Whole words, the last one overlapping the one before: no byte outside the name is read.
template <class Word>
bool equals(std::string_view text, const Slot& slot) noexcept {
  std::size_t at = 0;
  for (; at + sizeof(Word) < text.size(); at += sizeof(Word)) {
    if (word_differs<Word>(text.data(), slot, at)) return false;
  }
  return !word_differs<Word>(text.data(), slot, text.size() - sizeof(Word));
}

}  // namespace

FieldName find_field_name(std::string_view text) noexcept {
  if (text.size() < kShortest || text.size() > kLongest) return FieldName::kOther;
  const Slot& slot = kSlots[kIndex[hash(text)]];
  if (slot.size != text.size()) return FieldName::kOther;
  const bool equal = text.size() >= 8   ? equals<std::uint64_t>(text, slot)
                     : text.size() >= 4 ? equals<std::uint32_t>(text, slot)
                                        : equals<std::uint16_t>(text, slot);
  return equal ? slot.name : FieldName::kOther;
}

std::string_view to_string(FieldName name) noexcept {
  return kNames[static_cast<std::size_t>(name)];
}

}  // namespace ssx::http
