// Small bodies that have been compressed already: those of files and of fixed texts, which are the
// same again and again. (i)
//
// Thread: each worker has one of its own, loop-only
// Owner:  the compression middleware
// Life:   that of the middleware; bodies longer, while an answer with them leaves
// Bounds: kSlots bodies of at most kBodyMax bytes, and what they were made of; a newcomer takes the
//         place of whoever has it
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "http/response.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/compress/coding.h"

namespace ssx::http {

class EncodedCache {
 public:
  static constexpr std::size_t kSlots = 128;
  static constexpr std::size_t kBodyMax = 32 << 10;

  /// What was compressed. The source is held, so that no other can lie at its address; its fields
  /// have its ETag, so that it is not another by now.
  struct Key {
    Response::Kept source;
    compress::Coding coding = compress::Coding::kGzip;
    std::string_view fields;
  };
  struct Body final : LocalShared {
    Response::Kept source;
    compress::Coding coding = compress::Coding::kGzip;
    std::string source_fields;
    std::string bytes;
    std::string fields;  ///< prepared lines of the answer
  };

  /// Null when it is not here.
  [[nodiscard]] LocalRef<Body> find(const Key& key) const noexcept;
  /// `body` has everything but the key.
  void put(const Key& key, const LocalRef<Body>& body);
  /// Frees all, but for what is just being sent. How many bodies it were.
  std::size_t clear() noexcept;

 private:
  [[nodiscard]] static std::size_t slot_of(const Key& key) noexcept;
  std::array<LocalRef<Body>, kSlots> slots_;
};

}  // namespace ssx::http
