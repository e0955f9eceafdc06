// ns per look-up among 10, 1,000 and 100,000 routes of a service as people write them: half of them
// literal, half with a placeholder. 4,096 paths come in random order, in turn, so that of a large
// table the core's own caches do not hold what is needed next.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "http/router.h"

namespace ssx::http {
namespace {

constexpr int kTables = 3;
constexpr int kPaths = 4096;

/// "/api/g12/item34": a hundred items to a group.
std::string item(int number) { return fmt::format("/api/g{}/item{}", number / 100, number % 100); }

std::vector<std::string> patterns(int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count / 2; ++i) {
    all.push_back(item(i) + "/list");
    all.push_back(item(i) + "/{id}/edit");
  }
  return all;
}

Router table_of(const std::vector<std::string>& all) {
  static const std::vector<Method> methods{Method::kGet};
  Router router;
  for (const std::string& pattern : all) {
    if (!router.add({}, methods, pattern, Route{.handler = {}, .limits = {}, .name = pattern})) {
      std::abort();
    }
  }
  return router;
}

const Router& standing(int count) {
  static std::vector<std::pair<int, Router>> tables = [] {
    std::vector<std::pair<int, Router>> room;
    room.reserve(kTables);  // what was returned stays where it is
    return room;
  }();
  for (const auto& [size, router] : tables) {
    if (size == count) return router;
  }
  return tables.emplace_back(count, table_of(patterns(count))).second;
}

void find(benchmark::State& state, const char* behind, Router::Found expected) {
  const int count = static_cast<int>(state.range(0));
  const Router& router = standing(count);
  std::mt19937 random(4711);  // NOLINT(bugprone-random-generator-seed): the same paths each time
  std::vector<std::string> paths;
  for (int i = 0; i < kPaths; ++i) {
    const auto number = random() % static_cast<unsigned>(count / 2);
    paths.push_back(item(static_cast<int>(number)) + behind);
  }
  Params params;
  std::size_t next = 0;
  for (auto _ : state) {
    const auto match = router.match("www.example.com", Method::kGet, paths[next], params);
    if (match.found != expected) std::abort();
    benchmark::DoNotOptimize(match.route);
    next = (next + 1) % kPaths;
  }
}
BENCHMARK_CAPTURE(find, static, "/list", Router::Found::kRoute)
    ->Name("Router/static")
    ->Arg(10)
    ->Arg(1000)
    ->Arg(100'000);
BENCHMARK_CAPTURE(find, param, "/4711/edit", Router::Found::kRoute)
    ->Name("Router/param")
    ->Arg(10)
    ->Arg(1000)
    ->Arg(100'000);
// Known but for its last segment.
BENCHMARK_CAPTURE(find, miss, "/4711/none", Router::Found::kNothing)
    ->Name("Router/miss")
    ->Arg(10)
    ->Arg(1000)
    ->Arg(100'000);

// Of the whole table, without taking it down again.
void build(benchmark::State& state) {
  const auto all = patterns(static_cast<int>(state.range(0)));
  const auto batch = static_cast<std::int64_t>(std::max<std::size_t>(1, 1000 / all.size()));
  std::vector<Router> tables;
  tables.reserve(static_cast<std::size_t>(batch));
  while (state.KeepRunningBatch(batch)) {
    for (std::int64_t i = 0; i < batch; ++i) tables.push_back(table_of(all));
    state.PauseTiming();
    tables.clear();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(build)->Name("Router/build")->Arg(10)->Arg(1000)->Arg(100'000);

}  // namespace
}  // namespace ssx::http
