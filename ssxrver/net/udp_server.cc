#include "ssxrver/net/udp_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <span>
#include <utility>

#include "ssxrver/base/log.h"
#include "ssxrver/net/error.h"
#include "ssxrver/sys/process.h"
#include "ssxrver/sys/socket.h"
#include "ssxrver/sys/socket_option.h"

namespace ssx::net {
namespace {

constexpr std::size_t kPacketMin = 64;
constexpr std::size_t kPacketMax = 65535;
constexpr std::size_t kBatchMax = 1024;

bool is_valid(const UdpOptions& options) noexcept {
  return options.packet_max >= kPacketMin && options.packet_max <= kPacketMax &&
         options.batch >= 1 && options.batch <= kBatchMax;
}

bool is_every_address(const SocketAddress& address) noexcept {
  return std::ranges::all_of(address.bytes(), [](std::uint8_t byte) { return byte == 0; });
}

bool is_ipv6(const SocketAddress& address) noexcept {
  return address.family() == SocketAddress::Family::kIpv6;
}

Result<sys::UniqueFd> make_socket(const SocketAddress& at) {
  return sys::socket(is_ipv6(at) ? AF_INET6 : AF_INET, SOCK_DGRAM);
}

// No SO_REUSEADDR: with datagrams it would let another program take them away.
Result<sys::UniqueFd> bind_socket(const SocketAddress& at) {
  using sys::SocketOption;
  SSX_TRY(sys::UniqueFd socket, make_socket(at));
  if (is_ipv6(at)) SSX_TRY_VOID(sys::set_option(socket.get(), SocketOption::kIpv6Only, 1));
  if (is_every_address(at)) {
    const auto tell = is_ipv6(at) ? SocketOption::kTellLocalIpv6 : SocketOption::kTellLocalIpv4;
    SSX_TRY_VOID(sys::set_option(socket.get(), tell, 1));
  }
  SSX_TRY_VOID(sys::bind(socket.get(), at.to_raw()));
  return socket;
}

// An address is one of this machine's when a socket can be bound to it.
bool is_local(const SocketAddress& address) {
  const auto probe = make_socket(address);
  return probe && sys::bind(probe->get(), address.with_port(0).to_raw());
}

// What an ICMP message about an earlier reply leaves behind. Reading the error clears it.
bool is_about_a_peer(const Error& error) noexcept {
  constexpr std::array kPeerErrors = {ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN,
                                      ENETDOWN,     ENOPROTOOPT,  EPROTO,      EMSGSIZE};
  return std::ranges::any_of(kPeerErrors, [&](int number) { return error.is_errno(number); });
}

}  // namespace

UdpServer::Handler UdpServer::echo() {
  return [](const Datagram& datagram, Reply& reply) { reply.send(datagram.bytes); };
}

Result<UdpServer::Handler> UdpServer::builtin(std::string_view name) {
  if (name == "echo") return echo();
  return fail(ssx::Errc::kNotFound, "udp handler");
}

Result<std::unique_ptr<UdpServer>> UdpServer::create(EventLoop& loop, const UdpOptions& options,
                                                     Handler handler) {
  loop.assert_in_loop_thread();
  SSX_ASSERT(handler);
  if (!is_valid(options)) return fail(ssx::Errc::kInvalidArgument, "udp options");
  const auto literal = options.address == "*" ? "0.0.0.0" : std::string_view(options.address);
  SSX_TRY(const SocketAddress at, SocketAddress::parse(literal, options.port));
  SSX_TRY(sys::UniqueFd socket, bind_socket(at));
  SSX_TRY(const sys::RawAddress bound, sys::local_address(socket.get()));
  std::uint64_t seed = 0;
  SSX_TRY_VOID(sys::random_bytes(std::as_writable_bytes(std::span(&seed, 1))));
  std::unique_ptr<UdpServer> server(new UdpServer(
      loop, options, std::move(handler), std::move(socket), SocketAddress::from_raw(bound), seed));
  SSX_TRY_VOID(loop.add(*server, kReadable));
  return server;
}

UdpServer::UdpServer(EventLoop& loop, const UdpOptions& options, Handler handler,
                     sys::UniqueFd socket, const SocketAddress& address, std::uint64_t seed)
    : Channel(socket.get()),
      loop_(loop),
      socket_(std::move(socket)),
      address_(address),
      on_every_address_(is_every_address(address)),
      handler_(std::move(handler)),
      filter_(options, seed),
      received_(options.batch, options.packet_max),
      replies_(options.batch, std::max(options.batch * options.packet_max, kReplyMax)) {}

UdpServer::~UdpServer() { stop(); }

void UdpServer::stop() {
  loop_.assert_in_loop_thread();
  loop_.cancel(rest_timer_);
  loop_.remove(*this);
}

// One batch for each turn: the rest keeps the socket readable, and others have their turn first.
void UdpServer::on_ready(Readiness) {
  const auto count = received_.receive(fd());
  if (!count) return on_receive_error(count.error());
  for (std::size_t i = 0; i < *count; ++i) take(i);
  flush();
}

void UdpServer::take(std::size_t index) {
  const SocketAddress from = SocketAddress::from_raw(received_.source(index));
  counters_.received.add();
  counters_.bytes_in.add(received_.bytes(index).size());
  if (passes(index, from)) call_handler(index, from);
}

bool UdpServer::passes(std::size_t index, const SocketAddress& from) {
  const Arrival arrival{.from = from,
                        .bytes = received_.bytes(index).size(),
                        .truncated = received_.is_truncated(index),
                        .from_ourselves = is_ourselves(from)};
  switch (filter_.judge(arrival, loop_.now())) {
    case UdpVerdict::kPass:
      return true;
    case UdpVerdict::kTruncated:
      counters_.limit_packet_max_hit.add();
      return false;
    case UdpVerdict::kEmpty:
      counters_.empty.add();
      return false;
    case UdpVerdict::kSourcePort:
      counters_.limit_source_port_min_hit.add();
      return false;
    case UdpVerdict::kOwnAddress:
      counters_.own_address.add();
      return false;
    case UdpVerdict::kRate:
      counters_.limit_rate_per_source_hit.add();
      return false;
  }
  SSX_UNREACHABLE();
}

void UdpServer::call_handler(std::size_t index, const SocketAddress& from) noexcept {
  Reply reply(*this, index, from);
  try {
    handler_({received_.bytes(index), from}, reply);
  } catch (const std::exception& error) {
    counters_.handler_errors.add();
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "udp handler: {}", error.what());
  } catch (...) {
    counters_.handler_errors.add();
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "udp handler: an exception of unknown type");
  }
}

bool UdpServer::reply(std::size_t index, const SocketAddress& to, ByteView bytes) {
  if (bytes.size() > kReplyMax || !filter_.may_send(to, bytes.size())) {
    counters_.limit_reply_ratio_hit.add();
    return false;
  }
  const msghdr& destination = received_.return_address(index);
  if (!replies_.add(bytes, destination)) {
    flush();
    const bool added = replies_.add(bytes, destination);
    SSX_ASSERT(added, bytes.size());
  }
  return true;
}

void UdpServer::flush() noexcept {
  const SendBatch::Outcome outcome = replies_.flush(fd());
  counters_.sent.add(outcome.datagrams);
  counters_.bytes_out.add(outcome.bytes);
  counters_.send_no_room.add(outcome.no_room);
  counters_.send_errors.add(outcome.failed);
}

// Whoever forges our own address as the source would have us talk to ourselves for ever.
bool UdpServer::is_ourselves(const SocketAddress& source) const {
  if (source.port() != address_.port()) return false;
  return source == address_ || (on_every_address_ && is_local(source));
}

void UdpServer::on_receive_error(const Error& error) {
  if (error.is_errno(EAGAIN)) return;
  counters_.receive_errors.add();
  if (is_about_a_peer(error)) return;
  SSX_LOG_RATED(WARN, std::chrono::seconds(1), "udp: {}: receiving again in {} ms", error.message(),
                kRest.count());
  rest();
}

// The socket is level-triggered: while an error stays, it must leave the poller or the loop spins.
void UdpServer::rest() {
  loop_.assert_in_loop_thread();
  loop_.remove(*this);
  rest_timer_ = loop_.run_after(kRest, [this] { resume(); });
}

void UdpServer::resume() {
  if (const auto added = loop_.add(*this, kReadable); !added) {
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "udp: {}", added.error().message());
    rest();
  }
}

}  // namespace ssx::net
