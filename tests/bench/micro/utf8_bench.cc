// ns per text message that is judged as UTF-8.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "websocket/utf8.h"

namespace ssx::websocket {
namespace {

constexpr std::string_view kAscii =
    "The quick brown fox jumps over the lazy dog, says the parrot. ";
constexpr std::string_view kLatin =
    "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. ";
constexpr std::string_view kChinese = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏。";

/// `size` bytes, or a few more: nothing is cut.
std::string text_of(std::string_view sentence, std::size_t size) {
  std::string text;
  while (text.size() < size) text += sentence;
  return text;
}

void judge(benchmark::State& state, std::string_view sentence) {
  const std::string text = text_of(sentence, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(text.data());
    if (!is_utf8(as_bytes(text))) std::abort();
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK_CAPTURE(judge, ascii, kAscii)->Name("Utf8/ascii")->Arg(128)->Arg(64 << 10);
BENCHMARK_CAPTURE(judge, latin, kLatin)->Name("Utf8/latin")->Arg(128)->Arg(64 << 10);
BENCHMARK_CAPTURE(judge, chinese, kChinese)->Name("Utf8/chinese")->Arg(128)->Arg(64 << 10);

}  // namespace
}  // namespace ssx::websocket
