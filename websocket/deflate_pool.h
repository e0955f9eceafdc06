// Contexts of permessage-deflate that wait for the next message, so that a connection that keeps
// none between messages owns no memory, and a message costs no new tables.
//
// Thread: loop-only: one for each worker
// Owner:  the worker's state
// Life:   longer than every Deflate that takes from it
// Bounds: kSpareMax of each kind wait; the budget for all that exist, waiting or lent
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/compress/message_deflater.h"
#include "ssxrver/compress/message_inflater.h"
#include "websocket/byte_budget.h"

namespace ssx::websocket {

class DeflatePool {
 public:
  static constexpr std::size_t kSpareMax = 4;

  explicit DeflatePool(ByteBudget& budget);
  DeflatePool(const DeflatePool&) = delete;
  DeflatePool& operator=(const DeflatePool&) = delete;
  ~DeflatePool();

  /// Without a context. Nothing when the budget has not enough left, or there is no memory.
  [[nodiscard]] std::optional<compress::MessageDeflater> take_deflater(
      const compress::MessageDeflaterOptions& options);
  /// Without a context; the budget counts it, but does not refuse. compress::Errc::kNoMemory.
  [[nodiscard]] Result<compress::MessageInflater> take_inflater(
      int window_bits, const compress::InflateLimits& limits);

  /// Whatever became of its last message.
  void give_back(compress::MessageDeflater deflater) noexcept;
  void give_back(compress::MessageInflater inflater) noexcept;

  /// Frees those that wait: memory is short.
  void drop_spare() noexcept;

  [[nodiscard]] std::size_t spare() const noexcept { return deflaters_.size() + inflaters_.size(); }

 private:
  ByteBudget& budget_;
  std::vector<compress::MessageDeflater> deflaters_;
  std::vector<compress::MessageInflater> inflaters_;
};

}  // namespace ssx::websocket
