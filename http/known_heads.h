// Heads that came before: a connection that says the same again is not parsed again.
//
// Who asks often asks alike: one that polls, a check of health, a program that calls another. Of
// such a connection the head that it sent last is remembered with what it was parsed to, and when
// the same bytes come again that is what they mean. Nothing is looked up for another connection:
// what one client sends is never compared with what another has sent.
//
// Thread: loop-only
// Owner:  WorkerState
// Life:   that of the worker
// Bounds: kPlaces heads, of kSizeMax bytes and kFieldsMax lines
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "http/head.h"
#include "ssxrver/base/slot_map.h"

namespace ssx::http {

class KnownHeads {
 public:
  static constexpr std::size_t kPlaces = 256;
  static constexpr std::size_t kSizeMax = 1024;
  static constexpr std::size_t kFieldsMax = 24;
  /// So many heads that it does not know pass a place before it takes note of one: it is left to
  /// the connection that has it, and to what that has said. One that was of use takes the next head
  /// of its connection at once.
  static constexpr std::uint16_t kPatience = 16;

  /// `bytes` begin with the head that this connection was known for: `head` is what parse() made of
  /// it, and looks into `bytes`.
  [[nodiscard]] bool recall(SlotId of, std::string_view bytes, Head& head) noexcept;
  /// This connection has sent `head`; parse() was through with it, and nobody has changed it.
  void note(SlotId of, const Head& head);

 private:
  struct Known {
    [[nodiscard]] bool recall(std::string_view text, Head& head) const noexcept;
    void note(const Head& head) noexcept;

    HeadFacts facts;  ///< of `bytes`, into which it looks
    std::uint64_t present;
    std::uint32_t field_count;
    std::array<Fields::Entry, kFieldsMax> fields;
    std::array<char, kSizeMax> bytes;
  };
  /// All that is looked at for a connection that has no place: apart from what is known, so that
  /// it stays in the cache when thousands ask.
  struct Place {
    SlotId owner;
    std::uint16_t passed = 0;  ///< heads since one was recalled, up to kPatience
    std::unique_ptr<Known> known;
  };
  [[nodiscard]] Place& place_of(SlotId connection) noexcept {
    return places_[connection.slot % kPlaces];
  }

  std::array<Place, kPlaces> places_;
};

}  // namespace ssx::http
