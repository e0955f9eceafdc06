// ns of the calling thread per line of the asynchronous logger. log_bench.cc, one folder above, has
// the comparison with spdlog and what a flood loses.
//
// Lines come in bursts that a thread's ring can hold; until the back end has written them out the
// clock stands still. So it is the caller's share that is measured, while the back end works for
// the other threads.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/base/log.h"
#include "ssxrver/log/logger.h"

namespace ssx::log {
namespace {

constexpr int kBurst = 4000;
constexpr double kSeconds = 0.004;  // of the caller: the back end takes a hundred times as long

class Installed {
 public:
  Installed() {
    if (::mkdtemp(folder_.data()) == nullptr) std::abort();
    LogOptions options;
    options.async = true;
    options.path = folder_;
    options.max_files = 2;
    options.overflow = Overflow::kBlock;
    auto installed = Logger::install(options);
    if (!installed) std::abort();
    logger_ = *std::move(installed);
  }
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;
  ~Installed() {
    logger_.reset();
    std::filesystem::remove_all(folder_);
  }
  static Logger& logger() {
    static Installed made_once;
    return *made_once.logger_;
  }

 private:
  std::string folder_ = (std::filesystem::temp_directory_path() / "logger-bench-XXXXXX").string();
  std::unique_ptr<Logger> logger_;
};

template <class Line>
void lines(benchmark::State& state, Line line) {
  Logger& logger = Installed::logger();
  while (state.KeepRunningBatch(kBurst)) {
    for (int i = 0; i < kBurst; ++i) line(i);
    state.PauseTiming();
    if (!logger.flush(std::chrono::seconds(10))) state.SkipWithError("lines are not written");
    state.ResumeTiming();
  }
}

void four_arguments(benchmark::State& state) {
  lines(state, [](int i) {
    SSX_LOG_INFO("{} {} answered {} in {} us", "GET", std::string_view("/index.html"), 200, i);
  });
}
BENCHMARK(four_arguments)->Name("Logger/four_arguments")->MinTime(kSeconds)->ThreadRange(1, 4);

void no_argument(benchmark::State& state) {
  lines(state, [](int) { SSX_LOG_INFO("the listener rests: no descriptors are left"); });
}
BENCHMARK(no_argument)->Name("Logger/no_argument")->MinTime(kSeconds);

void below_the_level(benchmark::State& state) {
  Installed::logger();
  int i = 0;
  for (auto _ : state) SSX_LOG_DEBUG("{} {} answered in {} us", "GET", "/index.html", ++i);
}
BENCHMARK(below_the_level)->Name("Logger/below_the_level");

}  // namespace
}  // namespace ssx::log
