#include "ssxrver/log/ring_hub.h"

#include <memory>
#include <new>
#include <utility>

#include "ssxrver/log/tick_clock.h"
#include "ssxrver/sys/process.h"

namespace ssx::log {
namespace {

// Enough for the crash handler and, under a sanitizer, for the report that follows it.
constexpr std::size_t kAlternateStack = std::size_t{64} * 1024;

}  // namespace

struct RingHub::Thread {
  ThreadRing* ring = nullptr;
  bool ended = false;     // its guard has run: what it still logs goes through rings for one line
  bool back_end = false;  // must never wait for itself
};

struct RingHub::Guard {
  std::unique_ptr<std::byte[]> stack;

  // A stack overflow can only be reported from another stack, and every thread needs its own.
  void take_alternate_stack() {
    if (stack != nullptr) return;
    stack.reset(new (std::nothrow) std::byte[kAlternateStack]);
    if (stack == nullptr || !sys::set_alternate_stack({stack.get(), kAlternateStack}))
      stack.reset();
  }

  ~Guard() {
    thread_.ended = true;
    if (thread_.ring != nullptr) std::exchange(thread_.ring, nullptr)->leave_as_producer();
    if (stack != nullptr) static_cast<void>(sys::set_alternate_stack({}));
  }
};

constinit RingHub* RingHub::hub_ = nullptr;
constinit thread_local RingHub::Thread RingHub::thread_;

RingHub& RingHub::instance() noexcept {
  static RingHub& hub = *(hub_ = new RingHub);  // NOLINT: without memory for it the program ends
  return hub;
}

const Backend& RingHub::backend() noexcept {
  static constexpr Backend kBackend{&RingHub::reserve, &RingHub::commit, &RingHub::attach};
  return kBackend;
}

void RingHub::open(const LogOptions& options, const Doorbell& bell) {
  const MutexLock lock(mutex_);
  bell_ = &bell;
  ring_size_.store(options.ring_size, std::memory_order_relaxed);
  overflow_.store(options.overflow, std::memory_order_relaxed);
  flush_level_.store(options.flush_level, std::memory_order_relaxed);
  alternate_stacks_.store(options.fatal_signals, std::memory_order_relaxed);
  state_.store(BackEnd::kAwake, std::memory_order_relaxed);
  generation_.store(++last_generation_, std::memory_order_release);
}

void RingHub::close() {
  const MutexLock lock(mutex_);
  generation_.store(0, std::memory_order_release);
  bell_ = nullptr;
  room_.notify_all();
  flushed_.notify_all();
}

void RingHub::wake() noexcept {
  // One of all the threads that see it asleep pays for the system call.
  if (state_.exchange(BackEnd::kAwake, std::memory_order_seq_cst) == BackEnd::kAwake) return;
  const MutexLock lock(mutex_);
  if (bell_ != nullptr) bell_->ring();
}

bool RingHub::flush(Duration time) {
  if (thread_.back_end) return false;
  const std::uint32_t generation = generation_.load(std::memory_order_acquire);
  const std::uint64_t wanted = flush_wanted_.fetch_add(1, std::memory_order_seq_cst) + 1;
  const auto deadline = std::chrono::steady_clock::now() + time;
  wake();
  const MutexLock lock(mutex_);
  while (flush_done_ < wanted) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= Duration::zero() || generation_ != generation || generation == 0) return false;
    flushed_.wait_for(mutex_, left);
  }
  return flush_clean_;
}

void RingHub::flush_done(std::uint64_t wanted, bool clean) {
  const MutexLock lock(mutex_);
  flush_done_ = wanted;
  flush_clean_ = clean;
  flushed_.notify_all();
}

void RingHub::serve_from_this_thread() noexcept { thread_.back_end = true; }

std::uint64_t RingHub::take_unplaced() noexcept {
  const std::uint64_t lost = unplaced_.load(std::memory_order_relaxed);
  return lost - std::exchange(unplaced_taken_, lost);
}

void RingHub::announce_room() noexcept {
  if (waiting_.load(std::memory_order_seq_cst) == 0) return;
  const MutexLock lock(mutex_);
  room_.notify_all();
}

inline bool RingHub::must_commit(const Thread& thread, ThreadRing& ring, const Site& site,
                                 const Slot& slot) const noexcept {
  if (thread.ended) return true;
  if (site.stream == 0 && site.level >= flush_level_.load(std::memory_order_relaxed)) return true;
  const BackEnd state = state_.load(std::memory_order_relaxed);
  if (state == BackEnd::kAwake) [[likely]]
    return false;
  return state == BackEnd::kParked || ring.filling(slot);
}

Slot RingHub::reserve(const Site& site, std::uint32_t bytes, RecordFlags flags) noexcept {
  Thread& thread = thread_;
  ThreadRing* ring = thread.ring;
  if (ring == nullptr || ring->generation() != hub_->generation_.load(std::memory_order_relaxed))
      [[unlikely]] {
    ring = hub_->adopt(thread, bytes);
    if (ring == nullptr) return {};
  }
  Slot slot = ring->reserve(site, bytes, flags, TickClock::stamp());
  if (slot.arguments == nullptr) [[unlikely]] {
    slot = hub_->wait_for_room(*ring, site, bytes, flags);
    if (slot.arguments == nullptr) {
      ring->count_lost();
      return {};
    }
  }
  slot.commit = hub_->must_commit(thread, *ring, site, slot);
  return slot;
}

void RingHub::commit(const Slot& slot) noexcept {
  const Level level = header_of(slot)->site->level;  // not ours any more after the next line
  slot.tail->store(slot.next, std::memory_order_release);
  Thread& thread = thread_;
  if (thread.ended) std::exchange(thread.ring, nullptr)->leave_as_producer();
  hub_->wake();
  if (level == Level::kFatal) static_cast<void>(hub_->flush(kFatalWait));
}

void RingHub::attach() noexcept {
  if (thread_.ended || !hub_->alternate_stacks_.load(std::memory_order_relaxed)) return;
  static thread_local Guard guard;
  guard.take_alternate_stack();
}

ThreadRing* RingHub::adopt(Thread& thread, std::uint32_t bytes) noexcept {
  const std::uint32_t generation = generation_.load(std::memory_order_acquire);
  if (thread.ring != nullptr) std::exchange(thread.ring, nullptr)->leave_as_producer();
  if (generation == 0) return nullptr;
  attach();
  const std::size_t capacity = thread.ended ? 2 * ThreadRing::record_size(bytes)
                                            : ring_size_.load(std::memory_order_relaxed);
  ThreadRing* const ring =
      ThreadRing::create(capacity, generation, static_cast<std::uint32_t>(sys::thread_id()));
  if (ring == nullptr) {
    unplaced_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  rings_.add(*ring);
  thread.ring = ring;
  return ring;
}

Slot RingHub::wait_for_room(ThreadRing& ring, const Site& site, std::uint32_t bytes,
                            RecordFlags flags) noexcept {
  // Lines of a sink are dropped: they come from event loops, which must not wait.
  if (overflow_.load(std::memory_order_relaxed) != Overflow::kBlock || thread_.back_end ||
      site.stream != 0 || !ring.holds(bytes)) {
    return {};
  }
  Slot slot;
  waiting_.fetch_add(1, std::memory_order_seq_cst);
  while (slot.arguments == nullptr &&
         generation_.load(std::memory_order_acquire) == ring.generation()) {
    wake();
    {
      const MutexLock lock(mutex_);
      room_.wait_for(mutex_, kLookAgain);
    }
    slot = ring.reserve(site, bytes, flags, TickClock::stamp());
  }
  waiting_.fetch_sub(1, std::memory_order_seq_cst);
  return slot;
}

}  // namespace ssx::log
