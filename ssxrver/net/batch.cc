#include "ssxrver/net/batch.h"

#include <algorithm>

#include "ssxrver/base/assert.h"
#include "ssxrver/net/connection.h"

namespace ssx::net {

Batch::Seat& Batch::seat_of(Connection& connection) noexcept {
  if (connection.seated_) {
    if (current_ != nullptr && current_->connection == &connection) return *current_;
    return *std::ranges::find(taken(), &connection, &Seat::connection);
  }
  SSX_ASSERT(!is_full());
  if (taken_ == 0) loop_.after_ready(*this);
  Seat& seat = seats_[taken_++];
  seat.connection = &connection;
  connection.seated_ = true;
  return seat;
}

const OutQueue* Batch::staged(const Connection& connection) const noexcept {
  if (!connection.seated_) return nullptr;
  if (current_ != nullptr && current_->connection == &connection) return &current_->out;
  return &std::ranges::find(seats_, &connection, &Seat::connection)->out;
}

void Batch::serve() {
  for (Seat& seat : taken()) seat.connection->answer(seat);
  for (Seat& seat : taken()) seat.connection->send(seat);
  taken_ = 0;
}

}  // namespace ssx::net
