// Decompresses the messages of a peer that may be hostile, each as MessageDeflater makes it, with
// limits that are checked while it works (RFC 7692 7.2.2).
//
// Thread: one at a time; no shared state
// Owner:  whoever holds it; movable, memory only (malloc of zlib)
// Life:   create, then step until a message has ended, again and again. A message may look back at
//         those before it until forget()
// Bounds: memory_bytes(), and InflateLimits for each message: no byte above output_max ever comes
//         out, and a bomb is noticed at the latest one output buffer above the ratio
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/result.h"
#include "ssxrver/compress/error.h"
#include "ssxrver/compress/inflater.h"
#include "ssxrver/compress/message_deflater.h"
#include "ssxrver/compress/step.h"

namespace ssx::compress {

class MessageInflater {
 public:
  /// `window_bits`: 9 .. 15, at least those of the sender. kBadOptions or kNoMemory.
  static Result<MessageInflater> create(int window_bits, const InflateLimits& limits);

  MessageInflater(MessageInflater&&) noexcept;
  MessageInflater& operator=(MessageInflater&&) noexcept;
  ~MessageInflater();

  /// `out` has at least kStepOutputMin bytes. Until a step with kLast is done, the next step has
  /// kLast and the rest of the same input; then a new message begins. kCorrupt (a message that ends
  /// within a block, too), kTooLarge, kRatio or kNoMemory; after an error only reset() is legal.
  ///
  /// Blocks behind a final one belong to the message, and may look back over it (7.2.3.5).
  [[nodiscard]] Result<Step> step(ByteView in, MutableBytes out, Piece piece) noexcept;

  /// All steps that `in` needs, appended to `out`.
  [[nodiscard]] Result<void> read(ByteView in, Piece piece, std::string& out);

  /// Messages from here on look back at nothing. Not within a message.
  void forget() noexcept;

  /// The same, whatever became of the last message, and with these limits.
  void reset(const InflateLimits& limits) noexcept;

  /// Of this message, or of the last one; in with the four bytes that a message is sent without.
  [[nodiscard]] std::uint64_t bytes_in() const noexcept;
  [[nodiscard]] std::uint64_t bytes_out() const noexcept;

  [[nodiscard]] int window_bits() const noexcept;

  /// What one costs, by zlib's formula and with its structures.
  [[nodiscard]] static constexpr std::size_t memory_bytes(int window_bits) noexcept {
    return (std::size_t{1} << window_bits) + kStructures;
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return memory_bytes(window_bits()); }

 private:
  static constexpr std::size_t kStructures = 8 << 10;
  struct State;
  explicit MessageInflater(std::unique_ptr<State> state) noexcept;

  std::unique_ptr<State> state_;
};

}  // namespace ssx::compress
