#include "websocket/deflate_pool.h"

#include <algorithm>
#include <utility>

namespace ssx::websocket {
namespace {

using compress::InflateLimits;
using compress::MessageDeflater;
using compress::MessageDeflaterOptions;
using compress::MessageInflater;

/// The one among those that wait that `fits`; nothing when none does.
template <class Context, class Fits>
std::optional<Context> take_spare(std::vector<Context>& spare, Fits fits) {
  const auto found = std::find_if(spare.begin(), spare.end(), fits);
  if (found == spare.end()) return std::nullopt;
  std::optional<Context> taken(std::move(*found));
  spare.erase(found);
  return taken;
}

/// The oldest goes when there are too many: others may have options that nobody wants any more.
template <class Context>
void keep(std::vector<Context>& spare, Context context, ByteBudget& budget) noexcept {
  if (spare.size() == DeflatePool::kSpareMax) {
    budget.give_back(spare.front().memory_bytes());
    spare.erase(spare.begin());
  }
  spare.push_back(std::move(context));
}

template <class Context>
void drop(std::vector<Context>& spare, ByteBudget& budget) noexcept {
  for (const Context& context : spare) budget.give_back(context.memory_bytes());
  spare.clear();
}

}  // namespace

DeflatePool::DeflatePool(ByteBudget& budget) : budget_(budget) {
  deflaters_.reserve(kSpareMax);  // so that to give back needs no memory
  inflaters_.reserve(kSpareMax);
}

DeflatePool::~DeflatePool() { drop_spare(); }

std::optional<MessageDeflater> DeflatePool::take_deflater(const MessageDeflaterOptions& options) {
  auto taken = take_spare(
      deflaters_, [&options](const MessageDeflater& one) { return one.options() == options; });
  if (taken) {
    taken->forget();
    return taken;
  }
  const std::size_t bytes = MessageDeflater::memory_bytes(options);
  // What waits here for other messages must not be what is missing.
  if (budget_.used() + bytes > budget_.max()) drop_spare();
  if (!budget_.try_take(bytes)) return std::nullopt;
  auto made = MessageDeflater::create(options);
  if (made) return std::move(*made);
  budget_.give_back(bytes);
  return std::nullopt;
}

Result<MessageInflater> DeflatePool::take_inflater(int window_bits, const InflateLimits& limits) {
  auto taken = take_spare(inflaters_, [window_bits](const MessageInflater& one) {
    return one.window_bits() == window_bits;
  });
  if (taken) {
    taken->reset(limits);
    return std::move(*taken);
  }
  SSX_TRY(auto made, MessageInflater::create(window_bits, limits));
  budget_.take(made.memory_bytes());
  return made;
}

void DeflatePool::give_back(MessageDeflater deflater) noexcept {
  keep(deflaters_, std::move(deflater), budget_);
}

void DeflatePool::give_back(MessageInflater inflater) noexcept {
  keep(inflaters_, std::move(inflater), budget_);
}

void DeflatePool::drop_spare() noexcept {
  drop(deflaters_, budget_);
  drop(inflaters_, budget_);
}

}  // namespace ssx::websocket
