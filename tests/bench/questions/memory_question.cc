// Per-worker pools or malloc? ns for one block, taken and given back, by what a server does with
// memory. Run it under another malloc with LD_PRELOAD: the pool's rows then stand on that one.
#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ssxrver/base/spsc_ring.h"
#include "ssxrver/coro/frame_pool.h"

namespace ssx::questions {
namespace {

struct Heap {
  static void* take(std::size_t bytes) { return ::operator new(bytes); }
  static void give(void* block, std::size_t) { ::operator delete(block); }
};
/// The free lists of coroutine frames, one set for each thread: what goes into a chunk of 64.
struct Pool {
  static void* take(std::size_t bytes) { return FramePool::allocate(bytes); }
  static void give(void* block, std::size_t bytes) { FramePool::deallocate(block, bytes); }
};

/// The same numbers in every run.
class Numbers {
 public:
  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15;
};

/// The block is written, as whoever asks for one does.
template <class Memory>
void* take(std::size_t bytes) {
  void* const block = Memory::take(bytes);
  std::memset(block, 1, 64);
  return block;
}

/// Three frames, one inside the other: a handler that awaits a function that awaits a timer.
template <class Memory>
void frames(benchmark::State& state) {
  constexpr std::array<std::size_t, 3> kSizes{704, 320, 192};
  std::array<void*, kSizes.size()> blocks{};
  for (auto _ : state) {
    for (std::size_t i = 0; i < kSizes.size(); ++i) blocks[i] = take<Memory>(kSizes[i]);
    benchmark::DoNotOptimize(blocks.data());
    benchmark::ClobberMemory();
    for (std::size_t i = kSizes.size(); i-- > 0;) Memory::give(blocks[i], kSizes[i]);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kSizes.size()));
}

/// 4096 live blocks of which any one is replaced: `size()` says how large the new one is.
template <class Memory, class Size>
void replace(benchmark::State& state, Size size) {
  constexpr std::size_t kLive = 4096;
  struct Block {
    void* at = nullptr;
    std::size_t bytes = 0;
  };
  std::vector<Block> live(kLive);
  Numbers numbers;
  for (Block& block : live) {
    block.bytes = size(numbers);
    block.at = take<Memory>(block.bytes);
  }
  for (auto _ : state) {
    Block& block = live[numbers.next() % kLive];
    Memory::give(block.at, block.bytes);
    block.bytes = size(numbers);
    block.at = take<Memory>(block.bytes);
  }
  for (const Block& block : live) Memory::give(block.at, block.bytes);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

/// One object per connection, all of one size.
template <class Memory>
void connections(benchmark::State& state) {
  replace<Memory>(state, [](Numbers&) -> std::size_t { return 448; });
}

/// 64 to 1024 bytes, short ones more often.
template <class Memory>
void mixed(benchmark::State& state) {
  replace<Memory>(state, [](Numbers& numbers) -> std::size_t {
    const std::uint32_t random = numbers.next();
    return 64 + random % (64U << (random >> 16) % 4 << 1) % 960;
  });
}

/// Taken here, given back by another thread, as a request that is handed on would be.
template <class Memory>
void handed_over(benchmark::State& state) {
  constexpr std::size_t kBytes = 320;
  SpscRing<void*> ring(1024);
  std::atomic<bool> done{false};
  std::thread other([&] {
    for (;;) {
      const bool last = done.load(std::memory_order_acquire);
      bool any = false;
      while (const auto block = ring.pop()) {
        Memory::give(*block, kBytes);
        any = true;
      }
      if (last && !any) return;
      if (!any) std::this_thread::yield();
    }
  });
  for (auto _ : state) {
    void* block = take<Memory>(kBytes);
    while (!ring.push(std::move(block))) std::this_thread::yield();
  }
  done.store(true, std::memory_order_release);
  other.join();
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

template <class Memory>
void register_all(const std::string& name) {
  const auto add = [&](const char* row, void (*body)(benchmark::State&)) {
    return benchmark::RegisterBenchmark((row + ("/" + name)).c_str(), body);
  };
  add("frames", &frames<Memory>);
  add("connections", &connections<Memory>);
  add("mixed", &mixed<Memory>);
  add("handed_over", &handed_over<Memory>)->UseRealTime();
}

}  // namespace
}  // namespace ssx::questions

int main(int argc, char** argv) {
  using namespace ssx::questions;
  register_all<Pool>("pool");
  register_all<Heap>("malloc");
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
