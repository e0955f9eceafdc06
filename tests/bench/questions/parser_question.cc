// Ragel or by hand? ns per request head, and before that: do all of them say the same?
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#ifdef SSX_HAVE_LLHTTP
#include <llhttp.h>
#endif

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/request_parser.h"
#include "tests/bench/questions/hand_parser.h"
#include "tests/bench/requests.h"

namespace ssx::questions {
namespace {

using http::Head;
using http::ParserLimits;
using http::Progress;
using http::RequestParser;
using Parsed = RequestParser::Parsed;

constexpr std::size_t kPieces = 8;

/// Parsers that are reset() and then given the first bytes of a head, more at every call.
class Ragel {
 public:
  explicit Ragel(Isa isa) : parser_(limits_, isa) {}
  void reset() { parser_.reset(); }
  Parsed parse(std::string_view bytes) { return parser_.parse(bytes, head_); }
  [[nodiscard]] const Head& head() const { return head_; }

 private:
  ParserLimits limits_;
  RequestParser parser_;
  Head head_;
};

class ByHand {
 public:
  using Function = Parsed (*)(std::string_view, const ParserLimits&, Head&) noexcept;
  explicit ByHand(Function function) : function_(function) {}
  void reset() {}
  Parsed parse(std::string_view bytes) { return function_(bytes, limits_, head_); }
  [[nodiscard]] const Head& head() const { return head_; }

 private:
  Function function_;
  ParserLimits limits_;
  Head head_;
};

#ifdef SSX_HAVE_LLHTTP
/// Keeps where the elements are, and decides nothing: its result is less than the others'.
class Llhttp {
 public:
  Llhttp() {
    llhttp_settings_init(&settings_);
    settings_.on_url = &note_target;
    settings_.on_header_field = &note_name;
    settings_.on_header_value = &note_value;
    settings_.on_headers_complete = [](llhttp_t*) -> int { return HPE_PAUSED; };
  }
  void reset() {
    llhttp_init(&parser_, HTTP_REQUEST, &settings_);
    parser_.data = this;
    fields_ = 0;
    seen_ = 0;
  }
  Parsed parse(std::string_view bytes) {
    const std::string_view more = bytes.substr(seen_);
    seen_ = bytes.size();
    const llhttp_errno_t error = llhttp_execute(&parser_, more.data(), more.size());
    if (error == HPE_PAUSED) return {.progress = Progress::kDone};
    return {.progress = error == HPE_OK ? Progress::kNeedMore : Progress::kFailed};
  }
  [[nodiscard]] const Llhttp& head() const { return *this; }

 private:
  struct Span {
    const char* at = nullptr;
    std::size_t size = 0;
  };

  static Llhttp& of(llhttp_t* parser) { return *static_cast<Llhttp*>(parser->data); }
  static int note_target(llhttp_t* parser, const char* at, std::size_t size) {
    of(parser).target_ = {at, size};
    return 0;
  }
  static int note_name(llhttp_t* parser, const char* at, std::size_t size) {
    of(parser).names_[of(parser).fields_ % kFields] = {at, size};
    return 0;
  }
  static int note_value(llhttp_t* parser, const char* at, std::size_t size) {
    of(parser).values_[of(parser).fields_++ % kFields] = {at, size};
    return 0;
  }

  static constexpr std::size_t kFields = 100;
  llhttp_settings_t settings_;
  llhttp_t parser_;
  std::size_t seen_ = 0;
  std::size_t fields_ = 0;
  Span target_;
  std::array<Span, kFields> names_;
  std::array<Span, kFields> values_;
};
#endif

/// The request comes in `pieces` of one size.
template <class Parser>
void parse(benchmark::State& state, Parser parser, std::string_view bytes, std::size_t pieces) {
  for (auto _ : state) {
    parser.reset();
    Parsed parsed;
    for (std::size_t piece = 1; piece <= pieces; ++piece) {
      parsed = parser.parse(bytes.substr(0, bytes.size() * piece / pieces));
    }
    if (parsed.progress != Progress::kDone) std::abort();
    benchmark::DoNotOptimize(parser.head());
  }
}

template <class Make>
void add(const std::string& name, Make make) {
  const auto one = [&](const char* row, std::string_view bytes, std::size_t pieces) {
    const std::string full = row + ("/" + name);
    benchmark::RegisterBenchmark(full.c_str(), [make, bytes, pieces](benchmark::State& state) {
      parse(state, make(), bytes, pieces);
    });
  };
  one("small", bench::kSmallRequest, 1);
  one("large", bench::kLargeRequest, 1);
  one("pieces", bench::kLargeRequest, kPieces);
}

bool same(const Head& one, const Head& other) {
  bool equal = one.method == other.method && one.version == other.version &&
               one.form == other.form && one.path_is_normal == other.path_is_normal &&
               one.has_query == other.has_query && one.has_host == other.has_host &&
               one.chunked == other.chunked && one.keep_alive == other.keep_alive &&
               one.expect_continue == other.expect_continue && one.upgrade == other.upgrade &&
               one.size == other.size && one.content_length == other.content_length &&
               one.target == other.target && one.path == other.path && one.query == other.query &&
               one.host == other.host && one.fields.size() == other.fields.size();
  for (std::size_t i = 0; equal && i < one.fields.size(); ++i) {
    const http::Field mine = one.fields[i];
    const http::Field yours = other.fields[i];
    equal = mine.name == yours.name && mine.value == yours.value && mine.id == yours.id;
  }
  return equal;
}

bool agree(Ragel& ragel, ByHand& by_hand, std::string_view bytes) {
  ragel.reset();
  const Parsed mine = ragel.parse(bytes);
  const Parsed yours = by_hand.parse(bytes);
  const bool equal = mine.progress == yours.progress && mine.error == yours.error &&
                     (mine.progress != Progress::kDone || same(ragel.head(), by_hand.head()));
  if (!equal) {
    fmt::print(stderr, "{} {} by Ragel, {} {} by hand:\n{}\n", static_cast<int>(mine.progress),
               static_cast<int>(mine.error), static_cast<int>(yours.progress),
               static_cast<int>(yours.error), bytes);
  }
  return equal;
}

/// Every prefix, and every byte replaced by everything that is special somewhere.
bool all_agree(ByHand by_hand) {
  constexpr std::string_view kSpecial("\0\t\n\r %?:/.,#\x7f\xff*aZ09", 20);
  Ragel ragel(best_isa());
  for (const std::string_view request : {bench::kSmallRequest, bench::kLargeRequest}) {
    for (std::size_t i = 0; i < request.size(); ++i) {
      if (!agree(ragel, by_hand, request.substr(0, i))) return false;
      std::string changed(request);
      for (const char byte : kSpecial) {
        changed[i] = byte;
        if (!agree(ragel, by_hand, changed)) return false;
      }
      changed.erase(i, 1);
      if (!agree(ragel, by_hand, changed)) return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace ssx::questions

int main(int argc, char** argv) {
  using namespace ssx;
  using namespace ssx::questions;
  const bool simd = best_isa() == Isa::kAvx2;
  if (!all_agree(ByHand(&parse_by_hand))) return 1;
  if (simd && !all_agree(ByHand(&parse_by_hand_avx2))) return 1;
  add("ragel", [] { return Ragel(Isa::kScalar); });
  add("hand", [] { return ByHand(&parse_by_hand); });
  if (simd) {
    add("ragel_avx2", [] { return Ragel(Isa::kAvx2); });
    add("hand_avx2", [] { return ByHand(&parse_by_hand_avx2); });
  }
#ifdef SSX_HAVE_LLHTTP
  add("llhttp", [] { return Llhttp(); });
#endif
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
