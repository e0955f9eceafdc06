// Ring or linear buffer? ns per message, by how the bytes arrive and by how many connections take
// turns. A read is a copy of the same size here: a system call costs 150 ns, and all pay it alike;
// what two spans add to one is a row of its own, with real sockets.
#include <benchmark/benchmark.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "http/request_parser.h"
#include "tests/bench/questions/buffers.h"
#include "tests/bench/requests.h"

namespace ssx::questions {
namespace {

constexpr std::size_t kCollected = 60 << 10;
constexpr std::size_t kBody = 1 << 20;
constexpr std::size_t kBodyRead = 16 << 10;
constexpr std::size_t kSegment = 1400;
constexpr std::size_t kPipelined = 16;

/// Takes every whole request; how many there were.
template <class Buffer>
std::size_t take_requests(Buffer& buffer) {
  std::size_t taken = 0;
  for (std::string_view bytes = buffer.view();;) {
    const void* const end = ::memmem(bytes.data(), bytes.size(), "\r\n\r\n", 4);
    if (end == nullptr) {
      if (bytes.size() == buffer.size()) return taken;
      bytes = buffer.whole();  // a request lies over the wrap
      continue;
    }
    buffer.consume(static_cast<std::size_t>(static_cast<const char*>(end) - bytes.data()) + 4);
    ++taken;
    bytes = buffer.view();
  }
}

/// A number of connections, each with its buffer, which are served in turn.
template <class Buffer>
class Crowd {
 public:
  Crowd(std::size_t connections, std::size_t bytes) : shared_(connections) {
    buffers_.reserve(connections);
    for (std::size_t i = 0; i < connections; ++i) buffers_.emplace_back(shared_, bytes);
  }
  Buffer& next() {
    if (++at_ == buffers_.size()) at_ = 0;
    return buffers_[at_];
  }
  /// Bytes that a connection keeps for itself between two turns, on average.
  [[nodiscard]] double held() const {
    std::size_t sum = 0;
    for (const Buffer& one : buffers_) sum += one.held();
    return static_cast<double>(sum) / static_cast<double>(buffers_.size());
  }
  [[nodiscard]] std::size_t size() const { return buffers_.size(); }

 private:
  typename Buffer::Shared shared_;
  std::vector<Buffer> buffers_;
  std::size_t at_ = 0;
};

template <class Buffer>
void report(benchmark::State& state, const Crowd<Buffer>& crowd, std::size_t messages) {
  state.SetItemsProcessed(static_cast<std::int64_t>(messages));
  state.counters["held"] = crowd.held();
}

/// One read per turn brings `count` requests and nothing else.
template <class Buffer>
void whole(benchmark::State& state, std::size_t connections, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += bench::kSmallRequest;
  Crowd<Buffer> crowd(connections, 4096);
  std::size_t messages = 0;
  for (auto _ : state) {
    Buffer& buffer = crowd.next();
    buffer.receive(bytes.data(), bytes.size());
    messages += take_requests(buffer);
    buffer.end_turn();
  }
  report(state, crowd, messages);
}

/// A request comes in two reads; the other connections have their turns in between.
template <class Buffer>
void torn(benchmark::State& state, std::size_t connections) {
  constexpr std::size_t kFirst = 50;
  Crowd<Buffer> crowd(connections, 4096);
  std::size_t messages = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < connections; ++i) {
      Buffer& buffer = crowd.next();
      buffer.receive(bench::kSmallRequest.data(), kFirst);
      messages += take_requests(buffer);
      buffer.end_turn();
    }
    for (std::size_t i = 0; i < connections; ++i) {
      Buffer& buffer = crowd.next();
      buffer.receive(bench::kSmallRequest.data() + kFirst, bench::kSmallRequest.size() - kFirst);
      messages += take_requests(buffer);
      buffer.end_turn();
    }
  }
  report(state, crowd, messages);
}

/// Requests back to back in reads of a segment's size: nearly every read leaves a rest.
template <class Buffer>
void segments(benchmark::State& state, std::size_t connections) {
  std::string bytes;
  while (bytes.size() < bench::kSmallRequest.size() + kSegment) bytes += bench::kSmallRequest;
  Crowd<Buffer> crowd(connections, 4096);
  std::size_t at = 0;
  std::size_t messages = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < connections; ++i) {
      Buffer& buffer = crowd.next();
      buffer.receive(bytes.data() + at, kSegment);
      messages += take_requests(buffer);
      buffer.end_turn();
    }
    at = (at + kSegment) % bench::kSmallRequest.size();
  }
  report(state, crowd, messages);
}

/// One large message that must be whole before it is understood, in reads of a segment's size.
template <class Buffer>
void collected(benchmark::State& state, std::size_t connections) {
  const std::string bytes(kCollected, 'x');
  Crowd<Buffer> crowd(connections, kCollected);
  std::size_t messages = 0;
  for (auto _ : state) {
    Buffer& buffer = crowd.next();
    for (std::size_t at = 0; at < bytes.size(); at += kSegment) {
      buffer.receive(bytes.data() + at, std::min(kSegment, bytes.size() - at));
      if (buffer.size() == bytes.size()) {
        benchmark::DoNotOptimize(buffer.whole().data());
        buffer.consume(bytes.size());
        ++messages;
      }
      buffer.end_turn();
    }
  }
  report(state, crowd, messages);
}

/// 1 MiB that is handed on as it comes.
template <class Buffer>
void streamed(benchmark::State& state, std::size_t connections) {
  const std::string bytes(kBodyRead, 'x');
  Crowd<Buffer> crowd(connections, kBodyRead);
  std::size_t messages = 0;
  for (auto _ : state) {
    Buffer& buffer = crowd.next();
    for (std::size_t done = 0; done < kBody; done += kBodyRead) {
      buffer.receive(bytes.data(), bytes.size());
      while (buffer.size() > 0) {
        const std::string_view part = buffer.view();
        benchmark::DoNotOptimize(part.data());
        buffer.consume(part.size());
      }
      buffer.end_turn();
    }
    ++messages;
  }
  report(state, crowd, messages);
}

template <class Buffer>
void register_all(const std::string& name) {
  for (const std::size_t connections : {1UL, 1000UL}) {
    const auto add = [&](const char* row, auto&& body) {
      const std::string full = row + ("/" + name) + "/" + std::to_string(connections);
      benchmark::RegisterBenchmark(full.c_str(), body);
    };
    add("whole", [connections](benchmark::State& s) { whole<Buffer>(s, connections, 1); });
    add("torn", [connections](benchmark::State& s) { torn<Buffer>(s, connections); });
    add("pipelined",
        [connections](benchmark::State& s) { whole<Buffer>(s, connections, kPipelined); });
    add("segments", [connections](benchmark::State& s) { segments<Buffer>(s, connections); });
    if (connections > 1) continue;
    add("collected", [](benchmark::State& s) { collected<Buffer>(s, 1); });
    add("streamed", [](benchmark::State& s) { streamed<Buffer>(s, 1); });
  }
}

/// Rings that hold a request of ten fields: at the start, or over the wrap, each at another byte.
std::vector<RingBuffer> rings_with_a_request(bool over_the_wrap) {
  constexpr std::size_t kRing = 1024;
  constexpr std::size_t kRings = 32;
  const std::string filler(kRing, 'x');
  RingBuffer::Shared shared(kRings);
  std::vector<RingBuffer> rings;
  for (std::size_t i = 0; i < kRings; ++i) {
    const std::size_t before_wrap = (i + 1) * bench::kLargeRequest.size() / (kRings + 1);
    const std::size_t skip = over_the_wrap ? kRing - before_wrap : 0;
    RingBuffer& ring = rings.emplace_back(shared, kRing);
    ring.receive(filler.data(), skip);
    ring.consume(skip);
    ring.receive(bench::kLargeRequest.data(), bench::kLargeRequest.size());
  }
  return rings;
}

/// The product's parser; where it wants more than the first span, everything is made contiguous.
void parse(benchmark::State& state, bool over_the_wrap) {
  std::vector<RingBuffer> rings = rings_with_a_request(over_the_wrap);
  const http::ParserLimits limits;
  http::RequestParser parser(limits);
  http::Head head;
  std::size_t at = 0;
  for (auto _ : state) {
    RingBuffer& ring = rings[at++ % rings.size()];
    parser.reset();
    auto parsed = parser.parse(ring.view(), head);
    if (parsed.progress == http::Progress::kNeedMore) parsed = parser.parse(ring.whole(), head);
    if (parsed.progress != http::Progress::kDone) std::abort();
    benchmark::DoNotOptimize(head);
  }
}
BENCHMARK_CAPTURE(parse, contiguous, false)->Name("parse/contiguous");
BENCHMARK_CAPTURE(parse, over_the_wrap, true)->Name("parse/wrapped");

/// What a read into two spans costs beside one into one: a pair of sockets, the sending included.
void receive(benchmark::State& state, std::size_t spans) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) std::abort();
  std::array<char, 4096> room{};
  for (auto _ : state) {
    if (::send(ends[0], bench::kSmallRequest.data(), bench::kSmallRequest.size(), 0) < 0)
      std::abort();
    std::array<iovec, 2> parts{{{room.data(), 40}, {room.data() + 2048, 2048}}};
    const ssize_t got = spans == 1 ? ::recv(ends[1], room.data(), room.size(), 0)
                                   : ::readv(ends[1], parts.data(), parts.size());
    if (got != static_cast<ssize_t>(bench::kSmallRequest.size())) std::abort();
  }
  for (const int end : ends) ::close(end);
}
BENCHMARK_CAPTURE(receive, one_span, 1)->Name("receive/recv");
BENCHMARK_CAPTURE(receive, two_spans, 2)->Name("receive/readv");

}  // namespace
}  // namespace ssx::questions

int main(int argc, char** argv) {
  using namespace ssx::questions;
  register_all<RingBuffer>("ring");
  register_all<MirroredRing>("mirrored");
  register_all<LinearBuffer>("linear");
  register_all<ProductBuffer>("product");
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
