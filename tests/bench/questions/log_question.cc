// printf-style or stream? ns of the calling thread per line. All ways but the last make the text of
// the message and nothing else; the last is the whole of the product's call: the stamp of time, the
// level, the thread, the copy of the arguments and the hand-over, but no text: that is made by the
// thread of the logger, which is not timed here and has to keep up (tests/bench/log_bench.cc).
#include <benchmark/benchmark.h>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <time.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iomanip>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "ssxrver/base/log.h"
#include "ssxrver/log/logger.h"
#include "tests/bench/questions/log_snprintf.h"
#include "tests/bench/questions/log_stream.h"

namespace ssx::questions {
namespace {

// What a server knows only when it runs. The compiler would compute a line of constants by itself.
struct Answered {
  const char* method = "GET";
  const char* path = "/index.html";
  int status = 200;
};
Answered known_when_it_runs() {
  Answered answered;
  benchmark::DoNotOptimize(answered.method);
  benchmark::DoNotOptimize(answered.path);
  benchmark::DoNotOptimize(answered.status);
  return answered;
}

struct Numbers {
  double first = 0.25;
  double scale = 0.001;
  double third = 1e-9;

  [[nodiscard]] double second(int round) const noexcept { return round * scale; }
};
Numbers numbers_known_when_it_runs() {
  Numbers numbers;
  benchmark::DoNotOptimize(numbers.first);
  benchmark::DoNotOptimize(numbers.scale);
  benchmark::DoNotOptimize(numbers.third);
  return numbers;
}

constexpr int kBurst = 4000;  // what the ring of a thread holds
using Room = std::array<char, 4000>;

/// Runs `line(round)`, which returns the text it made.
template <class Line>
void message(benchmark::State& state, Line line) {
  int round = 0;
  for (auto _ : state) {
    const std::string_view text = line(++round);
    benchmark::DoNotOptimize(text.data());
    benchmark::ClobberMemory();
  }
}

void request_by_snprintf(benchmark::State& state) {
  const Answered request = known_when_it_runs();
  Room room;
  message(state, [&](int round) {
    const int size = format_request_by_snprintf(room.data(), room.size(), request.method,
                                                request.path, request.status, round);
    return std::string_view(room.data(), static_cast<std::size_t>(size));
  });
}
BENCHMARK(request_by_snprintf)->Name("request/snprintf");

void numbers_by_snprintf(benchmark::State& state) {
  const Numbers numbers = numbers_known_when_it_runs();
  Room room;
  message(state, [&](int round) {
    const int size = format_numbers_by_snprintf(room.data(), room.size(), numbers.first,
                                                numbers.second(round), numbers.third);
    return std::string_view(room.data(), static_cast<std::size_t>(size));
  });
}
BENCHMARK(numbers_by_snprintf)->Name("numbers/snprintf");

void request_by_fmt(benchmark::State& state) {
  const Answered request = known_when_it_runs();
  Room room;
  message(state, [&](int round) {
    const auto done = fmt::format_to_n(room.data(), room.size(), "{} {} answered {} in {} us",
                                       request.method, request.path, request.status, round);
    return std::string_view(room.data(), done.size);
  });
}
BENCHMARK(request_by_fmt)->Name("request/fmt");

void numbers_by_fmt(benchmark::State& state) {
  const Numbers numbers = numbers_known_when_it_runs();
  Room room;
  message(state, [&](int round) {
    const auto done = fmt::format_to_n(room.data(), room.size(), "load {:.12g} {:.12g} {:.12g}",
                                       numbers.first, numbers.second(round), numbers.third);
    return std::string_view(room.data(), done.size);
  });
}
BENCHMARK(numbers_by_fmt)->Name("numbers/fmt");

// Parsed by the compiler, and into room that is taken to be enough.

void request_by_compiled_fmt(benchmark::State& state) {
  const Answered request = known_when_it_runs();
  Room room;
  message(state, [&](int round) {
    char* const end = fmt::format_to(room.data(), FMT_COMPILE("{} {} answered {} in {} us"),
                                     request.method, request.path, request.status, round);
    return std::string_view(room.data(), static_cast<std::size_t>(end - room.data()));
  });
}
BENCHMARK(request_by_compiled_fmt)->Name("request/fmt_compile");

void numbers_by_compiled_fmt(benchmark::State& state) {
  const Numbers numbers = numbers_known_when_it_runs();
  Room room;
  message(state, [&](int round) {
    char* const end = fmt::format_to(room.data(), FMT_COMPILE("load {:.12g} {:.12g} {:.12g}"),
                                     numbers.first, numbers.second(round), numbers.third);
    return std::string_view(room.data(), static_cast<std::size_t>(end - room.data()));
  });
}
BENCHMARK(numbers_by_compiled_fmt)->Name("numbers/fmt_compile");

// A stream for each line, as a macro would make it.

void request_by_ostringstream(benchmark::State& state) {
  const Answered request = known_when_it_runs();
  int round = 0;
  for (auto _ : state) {
    std::ostringstream out;
    out << request.method << ' ' << request.path << " answered " << request.status << " in "
        << ++round << " us";
    benchmark::DoNotOptimize(out.view().data());
  }
}
BENCHMARK(request_by_ostringstream)->Name("request/ostringstream");

void numbers_by_ostringstream(benchmark::State& state) {
  const Numbers numbers = numbers_known_when_it_runs();
  int round = 0;
  for (auto _ : state) {
    std::ostringstream out;
    out << std::setprecision(12) << "load " << numbers.first << ' ' << numbers.second(++round)
        << ' ' << numbers.third;
    benchmark::DoNotOptimize(out.view().data());
  }
}
BENCHMARK(numbers_by_ostringstream)->Name("numbers/ostringstream");

// One stream for all lines: what it has allocated stays.

void request_by_kept_ostringstream(benchmark::State& state) {
  const Answered request = known_when_it_runs();
  std::ostringstream out;
  message(state, [&](int round) {
    out.seekp(0);
    out << request.method << ' ' << request.path << " answered " << request.status << " in "
        << round << " us";
    return out.view();
  });
}
BENCHMARK(request_by_kept_ostringstream)->Name("request/ostringstream_kept");

void numbers_by_kept_ostringstream(benchmark::State& state) {
  const Numbers numbers = numbers_known_when_it_runs();
  std::ostringstream out;
  message(state, [&](int round) {
    out.seekp(0);
    out << std::setprecision(12) << "load " << numbers.first << ' ' << numbers.second(round) << ' '
        << numbers.third;
    return out.view();
  });
}
BENCHMARK(numbers_by_kept_ostringstream)->Name("numbers/ostringstream_kept");

void request_by_log_stream(benchmark::State& state) {
  const Answered request = known_when_it_runs();
  int round = 0;
  for (auto _ : state) {
    LogStream out;
    out << request.method << " " << request.path << " answered " << request.status << " in "
        << ++round << " us";
    benchmark::DoNotOptimize(out.text().data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(request_by_log_stream)->Name("request/log_stream");

void numbers_by_log_stream(benchmark::State& state) {
  const Numbers numbers = numbers_known_when_it_runs();
  int round = 0;
  for (auto _ : state) {
    LogStream out;
    out << "load " << numbers.first << " " << numbers.second(++round) << " " << numbers.third;
    benchmark::DoNotOptimize(out.text().data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(numbers_by_log_stream)->Name("numbers/log_stream");

double cpu_nanoseconds_of_all_threads() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Bursts that the ring holds; it is emptied between them, which is not timed. "all" is the CPU
/// time of both threads for one line, until it is in the file.
template <class Line>
void deferred(benchmark::State& state, log::Logger& logger, Line line) {
  int round = 0;
  const double before = cpu_nanoseconds_of_all_threads();
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kBurst; ++i) line(++round);
    const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(used.count());
    logger.flush(std::chrono::seconds(10));
  }
  const auto lines = static_cast<double>(state.iterations() * kBurst);
  state.counters["all"] = (cpu_nanoseconds_of_all_threads() - before) / lines;
  state.SetItemsProcessed(state.iterations() * kBurst);
}

void request_by_the_product(benchmark::State& state, log::Logger& logger) {
  const Answered request = known_when_it_runs();
  deferred(state, logger, [&request](int round) {
    SSX_LOG_INFO("{} {} answered {} in {} us", request.method, request.path, request.status, round);
  });
}

void numbers_by_the_product(benchmark::State& state, log::Logger& logger) {
  const Numbers numbers = numbers_known_when_it_runs();
  deferred(state, logger, [&numbers](int round) {
    SSX_LOG_INFO("load {:.12g} {:.12g} {:.12g}", numbers.first, numbers.second(round),
                 numbers.third);
  });
}

}  // namespace
}  // namespace ssx::questions

int main(int argc, char** argv) {
  using namespace ssx;
  std::string folder = (std::filesystem::temp_directory_path() / "log-question-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  log::LogOptions options;
  options.async = true;
  options.path = folder;
  options.base_name = "lines";
  options.roll_size = 1U << 30;
  options.overflow = log::Overflow::kBlock;
  auto installed = log::Logger::install(options);
  if (!installed) return 1;
  auto logger = *std::move(installed);
  const auto add = [&](const char* name, auto* body) {
    benchmark::RegisterBenchmark(name, [&, body](benchmark::State& s) {
      body(s, *logger);
    })->UseManualTime();
  };
  add("request/product", &questions::request_by_the_product);
  add("numbers/product", &questions::numbers_by_the_product);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  logger.reset();
  std::filesystem::remove_all(folder);
}
