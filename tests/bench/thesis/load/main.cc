// The load of the thesis's experiments: a file, and connections that arrive.
//
//   thesis_load file|arrivals port=N [path=/] [size=64] [bytes=N] [seconds=3]
//               [messages=5] [rate=300] [pause=5]
//
// Prints "ready" when everything is open, waits for a line, runs, prints a line of JSON, waits for
// another line (the connections are still there), and ends.
#include <fmt/core.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/bench/thesis/load/scenarios.h"

namespace {

using wsload::Load;
using wsload::now_ns;

constexpr int kEvents = 512;
constexpr std::int64_t kGraceNs = 60'000'000'000;

bool set(wsload::Plan& plan, std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view key = word.substr(0, equals);
  const std::string value(word.substr(equals + 1));
  const std::uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
  const double real = std::strtod(value.c_str(), nullptr);
  if (key == "port") return plan.port = static_cast<std::uint16_t>(number), number != 0;
  if (key == "path") return plan.path = value, true;
  if (key == "size") return plan.size = number, true;
  if (key == "bytes") return plan.bytes = number, true;
  if (key == "messages") return plan.messages = static_cast<std::uint32_t>(number), number != 0;
  if (key == "seconds") return plan.seconds = real, true;
  if (key == "rate") return plan.rate = real, true;
  if (key == "pause") return plan.pause = real, true;
  return false;
}

void turn(int poller, int timeout_ms) {
  static epoll_event events[kEvents];
  const int ready = ::epoll_wait(poller, events, kEvents, timeout_ms);
  for (int i = 0; i < ready; ++i)
    static_cast<wsload::Peer*>(events[i].data.ptr)->on_ready(events[i].events);
}

bool wait_for_line() {
  int byte = 0;
  do byte = std::getchar();
  while (byte != EOF && byte != '\n');
  return byte != EOF;
}

int fail(std::string_view why) {
  fmt::print(stderr, "thesis_load: {}\n", why);
  return 1;
}

float at(const std::vector<float>& sorted, double part) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

void print(std::string_view name, std::vector<float>& times) {
  std::sort(times.begin(), times.end());
  fmt::print(", \"{0}_p50_us\": {1:.1f}, \"{0}_p99_us\": {2:.1f}, \"{0}_max_us\": {3:.1f}", name,
             at(times, 0.5), at(times, 0.99), at(times, 1));
}

bool prepare(Load& load, int poller) {
  const std::int64_t give_up = now_ns() + kGraceNs;
  load.prepare();
  while (!load.is_ready() && load.outcome().errors == 0 && now_ns() < give_up) turn(poller, 100);
  return load.is_ready();
}

/// How long it took, in ns.
std::int64_t run(Load& load, int poller, const wsload::Plan& plan) {
  const std::int64_t began = now_ns();
  const auto wanted = static_cast<std::int64_t>(plan.seconds * 1e9);
  load.start();
  while (!load.is_done() && !load.has_failed()) {
    turn(poller, 1);
    const std::int64_t now = now_ns();
    load.look(now);
    if (now - began >= wanted) load.stop();
    if (now - began >= wanted + kGraceNs) {
      load.outcome().errors++;
      load.outcome().error = "not everything was answered in time";
      break;
    }
  }
  return now_ns() - began;
}

}  // namespace

int main(int argc, char** argv) {
  wsload::Plan plan;
  if (argc > 1) plan.scenario = argv[1];
  for (int i = 2; i < argc; ++i)
    if (!set(plan, argv[i])) return fail(fmt::format("what is {}?", argv[i]));
  rlimit files{};
  (void)::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &files);
  const int poller = ::epoll_create1(EPOLL_CLOEXEC);
  const auto load = wsload::make_load(poller, plan);
  if (load == nullptr || plan.port == 0) return fail("file or arrivals, and port=N");
  if (!prepare(*load, poller)) return fail(load->outcome().error);
  fmt::print("ready\n");
  std::fflush(stdout);
  if (!wait_for_line()) return 0;
  const std::int64_t ns = run(*load, poller, plan);
  wsload::Outcome& got = load->outcome();
  fmt::print(
      "{{\"seconds\": {:.6f}, \"messages\": {}, \"bytes\": {}, \"errors\": {}, "
      "\"error\": {:?}",
      static_cast<double>(ns) / 1e9, got.messages, got.bytes, got.errors, got.error);
  print("latency", got.latency_us);
  print("opening", got.opening_us);
  fmt::print("}}\n");
  std::fflush(stdout);
  (void)wait_for_line();
  return 0;
}
