// Nanoseconds of the calling thread per log line: ssxrver::log beside spdlog, synchronous and
// asynchronous, in the same run and with the same text. Plain output, one table.
//
//   log_bench [rounds] [core of the caller]
//
// One round is a burst that every queue here can hold; the queues are emptied between rounds, which
// is not timed. Wall time and CPU time of the caller; median and quartiles over the rounds. The
// last part floods: two threads at full speed with the default policy, and how many lines are lost.

#include <fmt/format.h>
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/base/log.h"
#include "ssxrver/log/logger.h"
#include "ssxrver/sys/process.h"

namespace {

constexpr int kBurst = 4000;
constexpr int kSustained = 1'000'000;
constexpr int kSustainedRounds = 5;
constexpr std::size_t kQueue = 8192;  // spdlog's default, in lines
constexpr int kFloodLines = 2'000'000;

std::int64_t cpu_nanoseconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

struct Sample {
  double wall;
  double cpu;
};

Sample measure(const std::function<void(int)>& write, int lines) {
  const auto wall = std::chrono::steady_clock::now();
  const std::int64_t cpu = cpu_nanoseconds();
  write(lines);
  const std::int64_t cpu_used = cpu_nanoseconds() - cpu;
  const std::chrono::duration<double, std::nano> used = std::chrono::steady_clock::now() - wall;
  return {used.count() / lines, static_cast<double>(cpu_used) / lines};
}

double at(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

struct Contender {
  std::string name;
  std::function<void(int)> write;
  std::function<void()> empty;
  std::vector<double> wall{};
  std::vector<double> cpu{};
};

void spdlog_lines(spdlog::logger& logger, int lines) {
  for (int i = 0; i < lines; ++i) {
    logger.log(spdlog::source_loc{__FILE__, __LINE__, ""}, spdlog::level::info,
               "{} {} answered {} in {} us", "GET", "/index.html", 200, i);
  }
}

void our_lines(int lines) {
  for (int i = 0; i < lines; ++i) {
    SSX_LOG_INFO("{} {} answered {} in {} us", "GET", "/index.html", 200, i);
  }
}

/// Interleaved rounds; the ratio is against the second contender.
void compare(const char* title, std::vector<Contender> all, int rounds, int lines) {
  for (int round = 0; round <= rounds; ++round) {
    for (Contender& one : all) {
      const Sample sample = measure(one.write, lines);
      one.empty();
      if (round == 0) continue;  // rings and files are touched for the first time
      one.wall.push_back(sample.wall);
      one.cpu.push_back(sample.cpu);
    }
  }
  fmt::print("{}: {} rounds of {} lines, ns per line of the calling thread\n", title, rounds,
             lines);
  fmt::print("{:<34} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "", "wall q1", "median", "q3", "cpu",
             "ratio");
  const double against = at(all[1].cpu, 0.5);
  for (const Contender& one : all) {
    fmt::print("{:<34} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.2f}\n", one.name,
               at(one.wall, 0.25), at(one.wall, 0.5), at(one.wall, 0.75), at(one.cpu, 0.5),
               at(one.cpu, 0.5) / against);
  }
  fmt::print("(ratio: CPU against spdlog async; the target is at most 0.2)\n\n");
}

ssx::log::LogOptions options_in(const std::string& folder, ssx::log::Overflow overflow) {
  ssx::log::LogOptions options;
  options.async = true;
  options.path = folder;
  options.base_name = "ours";
  options.roll_size = 1U << 30;
  options.overflow = overflow;
  return options;
}

void flood(ssx::log::Logger& logger) {
  const auto before = logger.stats();
  const auto start = std::chrono::steady_clock::now();
  std::thread one(our_lines, kFloodLines / 2);
  std::thread two(our_lines, kFloodLines / 2);
  one.join();
  two.join();
  const std::chrono::duration<double> producing = std::chrono::steady_clock::now() - start;
  logger.flush(std::chrono::seconds(60));
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
  const auto after = logger.stats();
  const auto lost = after.lost_overflow - before.lost_overflow;
  fmt::print(
      "\nflood: 2 threads, {} lines in {:.3f} s, on disk after {:.3f} s; {} lost ({:.1f} %)\n",
      kFloodLines, producing.count(), all.count(), lost,
      100.0 * static_cast<double>(lost) / kFloodLines);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::stoi(argv[1]) : 21;
  std::string folder = (std::filesystem::temp_directory_path() / "log-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;

  const auto install = [&](ssx::log::Overflow overflow) {
    auto installed = ssx::log::Logger::install(options_in(folder, overflow));
    if (installed) return *std::move(installed);
    fmt::print("{}\n", installed.error().text());
    std::exit(1);
  };
  auto logger = install(ssx::log::Overflow::kBlock);
  const auto sync = spdlog::basic_logger_st("sync", folder + "/sync.log");
  spdlog::init_thread_pool(kQueue, 1);
  const auto async = spdlog::basic_logger_mt<spdlog::async_factory>("async", folder + "/async.log");
  const auto pool = spdlog::thread_pool();
  // Last, so that the threads of the back ends may run elsewhere.
  if (argc > 2) static_cast<void>(ssx::sys::pin_thread(static_cast<unsigned>(std::stoi(argv[2]))));

  const std::vector<Contender> all{{.name = "ssxrver::log",
                                    .write = our_lines,
                                    .empty = [&] { logger->flush(std::chrono::seconds(10)); }},
                                   {.name = "spdlog async (queue 8192, 1 thread)",
                                    .write = [&](int lines) { spdlog_lines(*async, lines); },
                                    .empty =
                                        [&] {
                                          while (pool->queue_size() != 0) std::this_thread::yield();
                                        }},
                                   {.name = "spdlog sync, no lock",
                                    .write = [&](int lines) { spdlog_lines(*sync, lines); },
                                    .empty = [&] { sync->flush(); }}};
  compare("burst", all, rounds, kBurst);
  compare("sustained", all, kSustainedRounds, kSustained);

  logger.reset();
  logger = install(ssx::log::Overflow::kDropNewest);
  flood(*logger);
  logger.reset();
  spdlog::shutdown();
  std::filesystem::remove_all(folder);
  return 0;
}
