// Compresses messages that follow one another, each in bytes of its own: raw DEFLATE without the
// last four bytes of its flush (RFC 7692 7.2.1).
//
// Thread: one at a time; no shared state
// Owner:  whoever holds it; movable, memory only (malloc of zlib)
// Life:   create, then step until a message has ended, again and again. A message may look back at
//         those before it until forget()
// Bounds: memory_bytes(), whatever is put in
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/result.h"
#include "ssxrver/compress/error.h"
#include "ssxrver/compress/step.h"

namespace ssx::compress {

/// Whether more of a message comes behind a piece of it.
enum class Piece : std::uint8_t { kMore, kLast };

struct MessageDeflaterOptions {
  int level = 6;         ///< 1 .. 9
  int window_bits = 15;  ///< 9 .. 15: bytes that may be looked back at, as a power of two
  int mem_level = 8;     ///< 1 .. 9: of the tables
  bool operator==(const MessageDeflaterOptions&) const = default;
};

class MessageDeflater {
 public:
  /// kBadOptions or kNoMemory.
  static Result<MessageDeflater> create(const MessageDeflaterOptions& options);

  MessageDeflater(MessageDeflater&&) noexcept;
  MessageDeflater& operator=(MessageDeflater&&) noexcept;
  ~MessageDeflater();

  /// `out` has at least kStepOutputMin bytes. Until a step with kLast is done, the next step has
  /// kLast and the rest of the same input; then a new message begins. An empty message is one byte,
  /// 0 (7.2.3.6).
  [[nodiscard]] Step step(ByteView in, MutableBytes out, Piece piece) noexcept;

  /// All steps that `in` needs, appended to `out`.
  void write(ByteView in, Piece piece, std::string& out);

  /// What comes next begins a message and looks back at nothing, whatever became of the last one.
  void forget() noexcept;

  [[nodiscard]] const MessageDeflaterOptions& options() const noexcept;

  /// What one costs, by zlib's formula and with its structures.
  [[nodiscard]] static constexpr std::size_t memory_bytes(
      const MessageDeflaterOptions& options) noexcept {
    return (std::size_t{1} << (options.window_bits + 2)) +
           (std::size_t{1} << (options.mem_level + 9)) + kStructures;
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return memory_bytes(options()); }

 private:
  static constexpr std::size_t kStructures = 6 << 10;
  struct State;
  explicit MessageDeflater(std::unique_ptr<State> state) noexcept;

  std::unique_ptr<State> state_;
};

}  // namespace ssx::compress
