#include "http/client/client_connection.h"

#include "ssxrver/base/assert.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/error.h"

namespace ssx::http {

class ClientConnection::Half final : public net::Protocol {
 public:
  explicit Half(LocalRef<ClientConnection> core) noexcept : core_(std::move(core)) {}
  /// Without on_close: it was never opened.
  ~Half() override { core_->ended(Error(net::Errc::kClosed, "client")); }

  void on_open(net::Connection& connection) override { core_->open(connection); }
  void on_data(net::Connection&, InBuffer& in) override { core_->arrive(in); }
  void on_end(net::Connection&) override { core_->server_ended(); }
  void on_drain(net::Connection&) override { core_->drained(); }
  void on_deadline(net::Connection&) override { core_->patience_over(); }
  void on_close(net::Connection&, const Error& reason) override { core_->ended(reason); }

 private:
  const LocalRef<ClientConnection> core_;
};

std::pair<LocalRef<ClientConnection>, std::unique_ptr<net::Protocol>> ClientConnection::create() {
  LocalRef<ClientConnection> core(new ClientConnection());
  auto protocol = std::make_unique<Half>(core);
  return {std::move(core), std::move(protocol)};
}

// ---- the protocol's half

void ClientConnection::open(net::Connection& connection) {
  connection_ = &connection;
  if (closed_) connection.close(Error(net::Errc::kClosed, "client"));  // nobody waits any more
}

void ClientConnection::arrive(InBuffer& in) {
  if (closed_) return in.consume(in.size());
  if (told_) return end_rest(RestEnd::kByServer);
  const auto kept = unread_.append(in.readable());
  SSX_ASSERT(kept.has_value());  // it has no limit of its own: pausing bounds it
  in.consume(in.size());
  if (!paused_ && unread_.size() >= kUnreadPause) {
    paused_ = true;
    connection_->pause_reading();
  }
  finish_arrival({});
}

void ClientConnection::server_ended() {
  server_ended_ = true;
  if (told_) return end_rest(RestEnd::kByServer);
  finish_arrival(fail(net::Errc::kEof, "client"));
}

void ClientConnection::patience_over() {
  if (told_) return end_rest(RestEnd::kTimedOut);
  finish_arrival(fail(net::Errc::kTimedOut, "client"));
}

void ClientConnection::ended(const Error& reason) {
  if (reason_) return;
  connection_ = nullptr;
  reason_ = reason;
  if (told_) return end_rest(RestEnd::kByServer);
  finish_room(fail(reason));
  finish_arrival(fail(reason));
}

// ---- reading

void ClientConnection::take(InBuffer& into) {
  if (into.empty()) {
    into.swap(unread_);
  } else {
    const auto kept = into.append(unread_.readable());
    SSX_ASSERT(kept.has_value());  // its user stops before it is out of bounds
    unread_.clear();
  }
  if (!std::exchange(paused_, false) || connection_ == nullptr) return;
  connection_->resume_reading();
}

ClientConnection::Arrival ClientConnection::arrival(Duration patience) { return {*this, patience}; }

bool ClientConnection::try_arrival(Arrival& waiter) const {
  SSX_ASSERT(reader_ == nullptr);  // one that reads
  if (!unread_.empty()) return true;
  if (server_ended_) {
    waiter.result_ = fail(net::Errc::kEof, "client");
  } else if (!is_open()) {
    waiter.result_ = fail(reason_.value_or(Error(net::Errc::kClosed, "client")));
  } else if (waiter.patience_ <= Duration::zero()) {
    waiter.result_ = fail(net::Errc::kTimedOut, "client");
  } else {
    return false;
  }
  return true;
}

void ClientConnection::interrupt() { finish_arrival({}); }

void ClientConnection::finish_arrival(Result<void> result) {
  Arrival* const reader = std::exchange(reader_, nullptr);
  if (reader == nullptr) return;
  reader->waiting_ = false;
  reader->result_ = std::move(result);
  reader->run();
}

ClientConnection::Arrival::~Arrival() {
  if (waiting_) connection_.reader_ = nullptr;
}
void ClientConnection::Arrival::await_suspend(std::coroutine_handle<> handle) noexcept {
  set_handle(handle);
  waiting_ = true;
  connection_.reader_ = this;
  if (connection_.connection_ != nullptr) connection_.connection_->set_deadline(patience_);
}

// ---- writing

OutQueue* ClientConnection::out() {
  if (!is_open() || connection_ == nullptr || !connection_->is_open()) return nullptr;
  return &connection_->out();
}

std::uint64_t ClientConnection::unsent_bytes() const noexcept {
  return connection_ == nullptr ? 0 : connection_->unsent_bytes();
}
std::uint64_t ClientConnection::sent_bytes() const noexcept {
  return connection_ == nullptr ? 0 : connection_->sent_bytes();
}

ClientConnection::Room ClientConnection::room() { return Room(*this); }

bool ClientConnection::try_room(Room& waiter) {
  SSX_ASSERT(writer_ == nullptr);  // one that writes
  if (!is_open() || connection_ == nullptr) {
    waiter.result_ = fail(reason_.value_or(Error(net::Errc::kClosed, "client")));
    return true;
  }
  return unsent_bytes() <= connection_->table().options().output_high;
}

// As in TcpStream: on_drain comes only when a write was cut short, so until then the queue is
// looked at after it has been sent.
void ClientConnection::look_again() {
  if (connection_ != nullptr) connection_->loop().at_turn_end(*this);
}

void ClientConnection::push_on() {
  if (writer_ == nullptr || connection_ == nullptr) return;
  if (is_open() && unsent_bytes() > connection_->table().options().output_low) {
    if (!connection_->is_blocked()) look_again();
    return;
  }
  finish_room(is_open() ? Result<void>() : fail(net::Errc::kClosed, "client"));
}

void ClientConnection::finish_room(Result<void> result) {
  Room* const writer = std::exchange(writer_, nullptr);
  if (writer == nullptr) return;
  writer->waiting_ = false;
  writer->result_ = std::move(result);
  writer->run();
}

ClientConnection::Room::~Room() {
  if (waiting_) connection_.writer_ = nullptr;
}
void ClientConnection::Room::await_suspend(std::coroutine_handle<> handle) noexcept {
  set_handle(handle);
  waiting_ = true;
  connection_.writer_ = this;
  connection_.look_again();
}

// ---- the connection

bool ClientConnection::is_reusable() const noexcept {
  return is_open() && connection_ != nullptr && connection_->is_open() && !server_ended_ &&
         unread_.empty();
}

bool ClientConnection::is_draining() const noexcept {
  return connection_ != nullptr && connection_->table().is_draining();
}

void ClientConnection::close() {
  closed_ = true;
  told_ = nullptr;
  if (connection_ != nullptr) connection_->close(Error(net::Errc::kClosed, "client"));
}

void ClientConnection::rest(Duration most, OnRestEnd told) {
  SSX_ASSERT(is_reusable());
  unread_ = InBuffer();  // a connection that rests owns no buffer
  told_ = std::move(told);
  connection_->set_deadline(most);
  connection_->set_idle(true);
}

void ClientConnection::wake() {
  told_ = nullptr;
  if (connection_ == nullptr) return;
  connection_->clear_deadline();
  connection_->set_idle(false);
}

void ClientConnection::end_rest(RestEnd how) {
  OnRestEnd told = std::exchange(told_, nullptr);
  close();
  told(how);
}

}  // namespace ssx::http
