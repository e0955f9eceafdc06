#include "ssxrver/net/batch.h"

#include <algorithm>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/net/connection.h"

namespace ssx::net {

Batch::Seat& Batch::seat_of(Connection& connection) noexcept {
  if (connection.seated_) {
    if (current_ != nullptr && current_->connection == &connection) return *current_;
    return *std::ranges::find(taken(), &connection, &Seat::connection);
  }
  SSX_ASSERT(taken_ < kSeats);
  if (taken_ == 0) loop_.after_ready(*this);
  Seat& seat = seats_[taken_++];
  seat.connection = &connection;
  connection.seated_ = true;
  return seat;
}

const OutQueue* Batch::staged(const Connection& connection) const noexcept {
  if (!connection.seated_) return nullptr;
  if (current_ != nullptr && current_->connection == &connection) return &current_->out;
  return &std::ranges::find(std::span(seats_).first(taken_), &connection, &Seat::connection)->out;
}

// What reading and sending took is nobody's callback, but it can be long: a file on a slow disk.
void Batch::serve() {
  if (taken_ == 0) return;
  loop_.callback_ended("connection");
  std::size_t sent = 0;
  std::size_t staged = 0;
  for (std::size_t seat = 0; seat < taken_; ++seat) {
    seats_[seat].connection->answer(seats_[seat]);
    staged += seats_[seat].out.memory_bytes();
    if (staged <= kStagedMax) continue;
    send(std::exchange(sent, seat + 1), seat + 1);
    staged = 0;
  }
  send(sent, taken_);
  taken_ = 0;
  received_ = 0;
}

void Batch::send(std::size_t first, std::size_t last) {
  for (; first < last; ++first) seats_[first].connection->send(seats_[first]);
  loop_.callback_ended("connection");
}

}  // namespace ssx::net
