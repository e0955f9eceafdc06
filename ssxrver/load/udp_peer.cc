#include "ssxrver/load/udp_peer.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "ssxrver/sys/socket.h"

namespace ssx::load {
namespace {

/// Datagrams that one turn of the loop takes from a socket.
constexpr int kBudget = 64;

}  // namespace

MakePeers make_udp_peers(const EchoPlan& plan) {
  return [&plan](net::EventLoop& loop) -> MakePeer {
    const auto scratch = std::make_shared<UdpScratch>(plan);
    return [&plan, &loop, scratch](Peer::Events& events) {
      return std::make_unique<UdpPeer>(loop, plan, *scratch, events);
    };
  };
}

UdpPeer::~UdpPeer() { close(); }

void UdpPeer::open(const net::SocketAddress* source) {
  if (const auto connected = connect(source); !connected) {
    return refuse(connected.error().code().value());
  }
  events().on_open(*this);
  if (outstanding() > 0) send();
}

Result<void> UdpPeer::connect(const net::SocketAddress* source) {
  const sys::RawAddress target = plan_.target.to_raw();
  SSX_TRY(socket_, sys::socket(target.get()->sa_family, SOCK_DGRAM));
  if (source != nullptr) SSX_TRY_VOID(sys::bind(socket_.get(), source->to_raw()));
  SSX_TRY_VOID(sys::connect(socket_.get(), target));
  set_fd(socket_.get());
  return loop_.add(*this, net::kReadable);
}

void UdpPeer::begin(TimePoint since, TimePoint now, const net::SocketAddress* source) {
  expect(plan_.depth, since, now);
  first_ += has_come_.size();
  has_come_.assign(plan_.depth, false);
  sent_ = 0;
  if (!socket_) return open(source);
  send();
}

void UdpPeer::close() noexcept {
  if (is_registered()) loop_.remove(*this);
  socket_.reset();
  forget_requests();
}

void UdpPeer::on_ready(net::Readiness ready) {
  if ((ready & net::kWritable) != 0) send();
  for (int i = 0; i < kBudget && socket_; ++i) {
    if (!receive_one()) return;
  }
}

void UdpPeer::send() {
  for (; sent_ < has_come_.size(); ++sent_) {
    const std::uint64_t number = first_ + sent_;
    std::memcpy(scratch_.datagram.data(), &number, kNumberSize);
    const auto sent = sys::send(socket_.get(), as_bytes(scratch_.datagram));
    if (!sent && sent.error().is_errno(EAGAIN)) break;
    if (!sent && sent.error().is_errno(ECONNREFUSED)) return refuse(ECONNREFUSED);
    if (!sent && !sent.error().is_errno(ENOBUFS)) return fail(Failure::kReset);
    if (sent) events().on_bytes_out(*sent);
  }
  const bool is_full = sent_ < has_come_.size();
  const auto wanted =
      static_cast<net::Readiness>(is_full ? net::kReadable | net::kWritable : net::kReadable);
  if (interest() != wanted && !loop_.set_interest(*this, wanted)) fail(Failure::kReset);
}

bool UdpPeer::receive_one() {
  const auto got = sys::receive(socket_.get(), std::as_writable_bytes(std::span(scratch_.room)));
  if (!got && got.error().is_errno(EAGAIN)) return false;
  if (!got) return refuse(got.error().code().value()), false;  // nobody is there (RFC 1122 4.1.3.3)
  events().on_bytes_in(*got);
  take(std::string_view(scratch_.room).substr(0, *got));
  return true;
}

void UdpPeer::take(std::string_view datagram) {
  if (datagram.size() < kNumberSize) return fail(Failure::kMalformed);
  std::uint64_t number = 0;
  std::memcpy(&number, datagram.data(), kNumberSize);
  const std::uint64_t index = number - first_;
  if (index >= has_come_.size() || has_come_[index]) return;  // too late, or twice
  if (datagram.substr(kNumberSize) != std::string_view(plan_.message).substr(kNumberSize))
    return fail(Failure::kMalformed);
  has_come_[index] = true;
  const TimePoint now = loop_.clock().now();
  count_answer(true, now);
  if (outstanding() > 0) return;
  if (!plan_.keeps_connections) close();
  events().on_free(*this, now);
}

}  // namespace ssx::load
