#include "ssxrver/load/ws_command.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "ssxrver/load/ws_peer.h"
#include "ssxrver/sys/process.h"
#include "websocket/client/target.h"
#include "websocket/client_handshake.h"
#include "websocket/options.h"

namespace ssx::load {
namespace {

UnexpectedOf<StartupError> refuse(std::string sentence) {
  return fail_start(ExitCode::kUsage, std::move(sentence));
}

std::string payload_of(std::uint64_t size) {
  std::string payload(size, '\0');
  for (std::size_t i = 0; i < size; ++i) payload[i] = static_cast<char>('a' + i % 26);
  return payload;
}

}  // namespace

StartupResult<WsPlan> make_plan(const WsOptions& options) {
  const auto url = websocket::parse_ws_url(options.url);
  if (!url) return refuse(fmt::format("\"{}\": {}", options.url, url.error().code().message()));
  if (options.idle && (options.each || options.rate > 0))
    return refuse("connections that say nothing have no rate, and stay");
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
  plan.size = options.size;
  plan.message = make_client_frame(websocket::Opcode::kBinary, payload_of(options.size), mask);
  plan.says_nothing = options.idle;
  if (options.idle) plan.timeout = Duration::max();
  return plan;
}

StartupResult<int> run_ws(const WsOptions& options) {
  const auto plan = make_plan(options);
  if (!plan) return UnexpectedOf<StartupError>(plan.error());
  return measure("ws", options, *plan, make_ws_peers(*plan));
}

}  // namespace ssx::load
