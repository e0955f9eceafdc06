#include "ssxrver/net/udp_batch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "ssxrver/base/assert.h"

namespace ssx::net {

ReceiveBatch::ReceiveBatch(std::size_t datagrams, std::size_t bytes_each)
    : bytes_(datagrams * bytes_each), rooms_(datagrams), headers_(datagrams) {
  for (std::size_t i = 0; i < datagrams; ++i) {
    rooms_[i].payload = {bytes_.data() + i * bytes_each, bytes_each};
    msghdr& header = headers_[i].msg_hdr;
    header.msg_name = &rooms_[i].source;
    header.msg_iov = &rooms_[i].payload;
    header.msg_iovlen = 1;
    header.msg_control = rooms_[i].local_address.data();
  }
}

Result<std::size_t> ReceiveBatch::receive(int fd) {
  // The kernel writes how much of each room it used where it read how much there is.
  for (mmsghdr& message : headers_) {
    message.msg_hdr.msg_namelen = sizeof(sockaddr_storage);
    message.msg_hdr.msg_controllen = sys::kLocalAddressRoom;
    message.msg_hdr.msg_flags = 0;
  }
  return sys::receive_batch(fd, headers_);
}

ByteView ReceiveBatch::bytes(std::size_t index) const noexcept {
  const iovec& payload = rooms_[index].payload;
  const auto* const start = static_cast<const std::byte*>(payload.iov_base);
  return {start, std::min<std::size_t>(headers_[index].msg_len, payload.iov_len)};
}

bool ReceiveBatch::is_truncated(std::size_t index) const noexcept {
  return (headers_[index].msg_hdr.msg_flags & MSG_TRUNC) != 0;
}

sys::RawAddress ReceiveBatch::source(std::size_t index) const noexcept {
  return {rooms_[index].source, headers_[index].msg_hdr.msg_namelen};
}

const msghdr& ReceiveBatch::return_address(std::size_t index) noexcept {
  sys::reply_from_same_address(headers_[index].msg_hdr);
  return headers_[index].msg_hdr;
}

SendBatch::SendBatch(std::size_t datagrams, std::size_t bytes)
    : bytes_(bytes), payloads_(datagrams), headers_(datagrams) {
  for (std::size_t i = 0; i < datagrams; ++i) {
    headers_[i].msg_hdr.msg_iov = &payloads_[i];
    headers_[i].msg_hdr.msg_iovlen = 1;
  }
}

bool SendBatch::add(ByteView bytes, const msghdr& to) noexcept {
  if (count_ == headers_.size() || bytes.size() > bytes_.size() - used_) return false;
  if (!bytes.empty()) std::memcpy(bytes_.data() + used_, bytes.data(), bytes.size());
  payloads_[count_] = {bytes_.data() + used_, bytes.size()};
  msghdr& header = headers_[count_].msg_hdr;
  header.msg_name = to.msg_name;
  header.msg_namelen = to.msg_namelen;
  header.msg_control = to.msg_control;
  header.msg_controllen = to.msg_controllen;
  used_ += bytes.size();
  ++count_;
  return true;
}

SendBatch::Outcome SendBatch::flush(int fd) noexcept {
  Outcome outcome;
  auto waiting = std::span(headers_).first(count_);
  while (!waiting.empty()) {
    const auto sent = sys::send_batch(fd, waiting);
    if (!sent && (sent.error().is_errno(EAGAIN) || sent.error().is_errno(ENOBUFS))) {
      outcome.no_room += waiting.size();
      break;
    }
    // An error is that of the first message: this one is given up, the others have their turn.
    const std::size_t done = sent ? *sent : 1;
    SSX_ASSERT(done > 0 && done <= waiting.size(), done);
    if (sent) {
      outcome.datagrams += done;
      for (const mmsghdr& message : waiting.first(done)) outcome.bytes += message.msg_len;
    } else {
      ++outcome.failed;
    }
    waiting = waiting.subspan(done);
  }
  count_ = 0;
  used_ = 0;
  return outcome;
}

}  // namespace ssx::net
