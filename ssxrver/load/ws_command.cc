#include "ssxrver/load/ws_command.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <span>
#include <utility>

#include "ssxrver/load/broadcast_load.h"
#include "ssxrver/load/client_frame.h"
#include "ssxrver/load/plan_run.h"
#include "ssxrver/load/ws_peer.h"
#include "ssxrver/sys/process.h"
#include "websocket/client/target.h"
#include "websocket/client_handshake.h"
#include "websocket/options.h"

namespace ssx::load {
namespace {

constexpr std::uint64_t kFramesMax = 1'000'000;

UnexpectedOf<StartupError> refuse(std::string sentence) {
  return fail_start(ExitCode::kUsage, std::move(sentence));
}

/// Empty: there is none.
std::string contradiction(const WsOptions& options) {
  if (options.bytes > 0 && (options.idle || options.broadcast || options.depth > 1))
    return "--bytes goes neither with --idle, nor --broadcast, nor several at once";
  if (options.bytes > 0 && options.bytes <= options.size)
    return fmt::format("--bytes {}: expected more than a frame has (--size {})", options.bytes,
                       options.size);
  if (options.bytes > 0 && (options.size == 0 || options.bytes / options.size > kFramesMax))
    return fmt::format("--bytes {}: more than {} frames of --size {}", options.bytes, kFramesMax,
                       options.size);
  if (options.broadcast && (options.idle || options.each || options.depth > 1))
    return "--broadcast goes neither with --idle, nor --each, nor several at once";
  if (options.broadcast && options.threads > 1)
    return "--broadcast has one thread: its publisher waits for the whole audience";
  return "";
}

void add_message(WsPlan& plan, const WsOptions& options, const websocket::MaskKey& mask) {
  using websocket::Opcode;
  const std::string payload = sample_payload(options.size);
  plan.size = options.size;
  plan.message = make_client_frame(Opcode::kBinary, options.bytes == 0, payload, mask);
  if (options.broadcast) plan.answer = WsPlan::Answer::kAll;
  if (options.bytes == 0) return;
  plan.answer = WsPlan::Answer::kAny;
  const std::uint64_t frames = (options.bytes + options.size - 1) / options.size;
  const std::uint64_t last = options.bytes - (frames - 1) * options.size;
  plan.middle_frames = frames - 2;
  plan.middle_frame = make_client_frame(Opcode::kContinuation, false, payload, mask);
  plan.last_frame = make_client_frame(Opcode::kContinuation, true,
                                      std::string_view(payload).substr(0, last), mask);
}

}  // namespace

StartupResult<WsPlan> make_plan(const WsOptions& options) {
  const auto url = websocket::parse_ws_url(options.url);
  if (!url && url.error() == http::Errc::kTlsNotBuilt)
    return refuse(fmt::format("\"{}\": wss is not in this build", options.url));
  if (!url) return refuse(fmt::format("\"{}\": {}", options.url, url.error().code().message()));
  if (auto why = contradiction(options); !why.empty()) return refuse(std::move(why));
  WsPlan plan;
  if (auto filled = fill(plan, options, url->host(), url->port()); !filled)
    return UnexpectedOf<StartupError>(std::move(filled).error());
  std::array<std::byte, websocket::kNonceSize> nonce{};
  websocket::MaskKey mask{};
  if (!sys::random_bytes(nonce) || !sys::random_bytes(mask))
    return fail_start(ExitCode::kSystem, "there are no random bytes");
  plan.key = websocket::make_key(nonce);
  plan.handshake = fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n", url->target(), url->authority());
  websocket::append_request_fields(plan.handshake, plan.key, websocket::Options());
  plan.handshake += "\r\n";
  add_message(plan, options, mask);
  return plan;
}

StartupResult<int> run_ws(const WsOptions& options) {
  const auto plan = make_plan(options);
  if (!plan) return UnexpectedOf<StartupError>(plan.error());
  if (!options.broadcast)
    return measure("ws", options, *plan, peer_loads(*plan, make_ws_peers(*plan)));
  return measure("ws", options, *plan, [&plan](net::EventLoop& loop, std::uint32_t) {
    return std::make_unique<BroadcastLoad>(loop, *plan);
  });
}

}  // namespace ssx::load
