// What proxies answer to a client of theirs. The first byte of the input chooses: SOCKS5 without or
// with a user, or CONNECT. However an answer is cut it means the same, and no more of it is kept
// than its bound.
#include <string>
#include <utility>
#include <vector>

#include "http/client/http_connect.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/net/socks5.h"
#include "tests/fuzz/fuzz.h"

namespace {

using Progress = ssx::net::TunnelStep::Progress;

struct Outcome {
  Progress progress = Progress::kNeedMore;
  std::error_code error;
  std::size_t consumed = 0;
  std::string said;
  bool operator==(const Outcome&) const = default;
};

template <class Machine>
Outcome feed(Machine machine, const std::vector<std::string_view>& pieces, std::size_t kept_max) {
  Outcome outcome;
  std::string kept;
  for (const std::string_view piece : pieces) {
    kept += piece;
    const std::size_t said_before = outcome.said.size();
    const ssx::net::TunnelStep step = machine.feed(kept, outcome.said);
    outcome.progress = step.progress;
    if (step.progress == Progress::kFailed) {
      outcome.error = step.error.code();
      SSX_ASSERT(outcome.error);
      outcome.consumed = 0;  // does not matter any more
      return outcome;
    }
    SSX_ASSERT(step.consumed <= kept.size());
    kept.erase(0, step.consumed);
    outcome.consumed += step.consumed;
    if (step.progress == Progress::kDone) {
      SSX_ASSERT(outcome.said.size() == said_before || step.consumed > 0);
      return outcome;
    }
    SSX_ASSERT(kept.size() <= kept_max);
  }
  return outcome;
}

template <class Machine>
void check(const Machine& machine, std::string_view bytes, std::size_t kept_max) {
  const Outcome whole = feed(machine, {bytes}, kept_max);
  for (const auto& pieces : ssx::fuzz::splits(bytes)) {
    const Outcome in_pieces = feed(machine, pieces, kept_max);
    SSX_ASSERT(in_pieces == whole);
  }
  if (whole.progress != Progress::kDone || whole.consumed == 0) return;
  // Nothing of the answer was superfluous, and what follows does not matter.
  SSX_ASSERT(feed(machine, {bytes.substr(0, whole.consumed)}, kept_max) == whole);
  const Outcome less = feed(machine, {bytes.substr(0, whole.consumed - 1)}, kept_max);
  SSX_ASSERT(less.progress == Progress::kNeedMore);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = ssx::fuzz::text(data + 1, size - 1);
  using ssx::net::Socks5;
  switch (data[0] % 3) {
    case 0:
      check(*Socks5::create("a.example", 80, "", ""), bytes, Socks5::kAnswerMax);
      break;
    case 1:
      check(*Socks5::create("10.0.0.1", 80, "me", "secret"), bytes, Socks5::kAnswerMax);
      break;
    default:
      check(*ssx::http::HttpConnect::create("a.example", 80, "me", "secret"), bytes,
            ssx::http::HttpConnect::kLimits.head_max);
  }
  return 0;
}
