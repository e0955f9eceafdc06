// string_view by value or const std::string&? ns per call, by what the caller has.
#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

#include "tests/bench/questions/string_callers.h"

namespace ssx::questions {
namespace {

constexpr std::string_view kField = "Host: a-name-of-24-characters\r\nUser-Agent: nobody\r\n";

template <class Call>
void add(const char* name, Call call) {
  benchmark::RegisterBenchmark(name, [call](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(call());
  });
}

void add_all() {
  static const std::string text(kField);
  add("literal/view", [] { return literal_to_view(); });
  add("literal/string", [] { return literal_to_string(); });
  add("long_literal/view", [] { return long_literal_to_view(); });
  add("long_literal/string", [] { return long_literal_to_string(); });
  add("string/view", [] { return string_to_view(text); });
  add("string/string", [] { return string_to_string(text); });
  add("slice/view", [] { return slice_to_view(kField); });
  add("slice/string", [] { return slice_to_string(kField); });
}

}  // namespace
}  // namespace ssx::questions

int main(int argc, char** argv) {
  ssx::questions::add_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
