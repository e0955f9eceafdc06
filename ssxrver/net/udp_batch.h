// Room for the datagrams of one recvmmsg, and for the replies of one sendmmsg.
//
// Thread: loop-only
// Owner:  UdpServer
// Life:   that of the server; what a ReceiveBatch shows is valid until its next receive()
// Bounds: the numbers they are made with; nothing is allocated afterwards
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/result.h"
#include "ssxrver/sys/address.h"
#include "ssxrver/sys/socket.h"

namespace ssx::net {

class ReceiveBatch {
 public:
  ReceiveBatch(std::size_t datagrams, std::size_t bytes_each);
  ReceiveBatch(const ReceiveBatch&) = delete;
  ReceiveBatch& operator=(const ReceiveBatch&) = delete;

  /// How many came, without waiting.
  Result<std::size_t> receive(int fd);

  [[nodiscard]] ByteView bytes(std::size_t index) const noexcept;
  /// It was longer than the room for it; the rest is lost.
  [[nodiscard]] bool is_truncated(std::size_t index) const noexcept;
  [[nodiscard]] sys::RawAddress source(std::size_t index) const noexcept;
  /// Addressed so that a reply with it goes where the datagram came from.
  [[nodiscard]] const msghdr& return_address(std::size_t index) noexcept;

 private:
  struct Room {
    sockaddr_storage source;
    iovec payload;
    alignas(std::max_align_t) std::array<std::byte, sys::kLocalAddressRoom> local_address;
  };

  std::vector<std::byte> bytes_;
  std::vector<Room> rooms_;
  std::vector<mmsghdr> headers_;
};

class SendBatch {
 public:
  /// What became of a batch. Nothing waits for room in the kernel: a datagram that finds none is
  /// as lost as one that a router drops.
  struct Outcome {
    std::size_t datagrams = 0;
    std::size_t bytes = 0;
    std::size_t no_room = 0;
    std::size_t failed = 0;
  };

  SendBatch(std::size_t datagrams, std::size_t bytes);
  SendBatch(const SendBatch&) = delete;
  SendBatch& operator=(const SendBatch&) = delete;

  [[nodiscard]] std::size_t capacity_bytes() const noexcept { return bytes_.size(); }
  /// Copies the bytes; `to` must stay as it is until flush(). False: no room, flush first.
  [[nodiscard]] bool add(ByteView bytes, const msghdr& to) noexcept;
  /// Sends what was added and begins anew.
  Outcome flush(int fd) noexcept;

 private:
  std::vector<std::byte> bytes_;
  std::vector<iovec> payloads_;
  std::vector<mmsghdr> headers_;
  std::size_t count_ = 0;
  std::size_t used_ = 0;
};

}  // namespace ssx::net
