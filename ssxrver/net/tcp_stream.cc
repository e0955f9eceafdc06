#include "ssxrver/net/tcp_stream.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "ssxrver/base/assert.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/spawn.h"

namespace ssx::net {

// What the stream and the protocol share. The stream is the user's half and may go first; the
// protocol is the connection's and may go first too. A waiting coroutine needs the protocol's half
// only: that resumes it before it goes.
class TcpStream::Core final : public LocalShared, private TurnEnd {
 public:
  explicit Core(const StreamOptions& options) noexcept : options_(options) {}

  // The protocol's half.
  void open(Connection& connection);
  void arrive(InBuffer& in);
  void peer_ended();
  void drained() { push_on(); }
  void ended(const Error& reason);

  // The stream's half.
  [[nodiscard]] bool is_open() const noexcept {
    return !closed_ && !reason_ && (connection_ == nullptr || connection_->is_open());
  }
  [[nodiscard]] Connection* connection() const noexcept { return connection_; }
  [[nodiscard]] const SocketAddress& peer() const noexcept { return peer_; }
  [[nodiscard]] ConnectionId id() const noexcept { return id_; }
  void close();
  void reset();
  void shutdown_write();

  // The awaiters' half. True: the result is there.
  bool try_read(ReadAwaiter& reader);
  bool try_write(WriteAwaiter& writer);
  void wait(ReadAwaiter& reader) noexcept { reader_ = &reader; }
  void wait(WriteAwaiter& writer) noexcept;
  void give_up(ReadAwaiter&) noexcept { reader_ = nullptr; }
  void give_up(WriteAwaiter&) noexcept { writer_ = nullptr; }

 private:
  void on_turn_end() override { push_on(); }
  [[nodiscard]] Error reason() const noexcept {
    return reason_.value_or(Error(Errc::kClosed, "stream"));
  }
  std::size_t take(MutableBytes into);
  void finish_read(Result<std::size_t> result);
  void finish_write(Result<void> result);
  void push_on();
  void look_again();
  void end_connection();

  const StreamOptions options_;
  Connection* connection_ = nullptr;  ///< null before it is opened and after it has ended
  SocketAddress peer_;
  ConnectionId id_;
  InBuffer unread_;               ///< empty while a reader waits
  InBuffer* arriving_ = nullptr;  ///< what on_data was given, while it runs
  bool peer_ended_ = false;
  bool paused_ = false;
  bool write_shut_ = false;
  bool closed_ = false;          ///< by the stream's user
  std::optional<Error> reason_;  ///< set once the connection has ended
  ReadAwaiter* reader_ = nullptr;
  WriteAwaiter* writer_ = nullptr;
};

// ---- the protocol's half

void TcpStream::Core::open(Connection& connection) {
  connection_ = &connection;
  peer_ = connection.peer();
  id_ = connection.id();
  push_on();
  // What was asked for before there was a connection.
  if (write_shut_) connection.shutdown_write();
  if (closed_) end_connection();
}

// The reader takes from the receive buffer itself, again and again while it comes back for more at
// once; only what it leaves is copied.
void TcpStream::Core::arrive(InBuffer& in) {
  if (reader_ != nullptr) {
    arriving_ = &in;
    finish_read(take(reader_->into_));
    arriving_ = nullptr;
  }
  if (in.empty() || closed_) return;
  const auto kept = unread_.append(in.readable());
  SSX_ASSERT(kept.has_value());  // it has no limit of its own: pausing bounds it
  in.consume(in.size());
  if (!paused_ && unread_.size() >= options_.unread_pause) {
    paused_ = true;
    connection_->pause_reading();
  }
}

void TcpStream::Core::peer_ended() {
  peer_ended_ = true;
  if (reader_ != nullptr) finish_read(fail(Errc::kEof, "read_some"));
}

void TcpStream::Core::ended(const Error& reason) {
  if (reason_) return;
  connection_ = nullptr;
  reason_ = reason;
  if (reader_ != nullptr) finish_read(fail(reason));
  if (writer_ != nullptr) finish_write(fail(reason));
}

// ---- the stream's half

void TcpStream::Core::close() {
  closed_ = true;
  end_connection();
}

void TcpStream::Core::end_connection() {
  if (connection_ == nullptr || !connection_->is_open()) return;
  connection_->set_deadline(options_.close_timeout);
  connection_->close_after_flush(Connection::Linger::kYes);
}

void TcpStream::Core::reset() {
  closed_ = true;
  if (connection_ != nullptr) {
    connection_->reset(Error(Errc::kClosed, "reset"));
  }
}

void TcpStream::Core::shutdown_write() {
  write_shut_ = true;
  if (connection_ != nullptr) connection_->shutdown_write();
}

// ---- reading

std::size_t TcpStream::Core::take(MutableBytes into) {
  InBuffer& from = unread_.empty() && arriving_ != nullptr ? *arriving_ : unread_;
  const std::size_t count = std::min(from.size(), into.size());
  if (count == 0) return 0;
  std::memcpy(into.data(), from.readable().data(), count);
  from.consume(count);
  if (&from != &unread_) return count;
  if (unread_.empty()) unread_ = InBuffer();  // a connection that keeps up owns no buffer
  if (paused_ && connection_ != nullptr && unread_.size() <= options_.unread_pause / 2) {
    paused_ = false;
    connection_->resume_reading();
  }
  return count;
}

bool TcpStream::Core::try_read(ReadAwaiter& reader) {
  SSX_ASSERT(reader_ == nullptr);  // one reader
  if (closed_) {
    reader.result_ = fail(reason());
    return true;
  }
  if (reader.into_.empty()) return true;
  if (const std::size_t count = take(reader.into_); count > 0) {
    reader.result_ = count;
    return true;
  }
  if (peer_ended_) {
    reader.result_ = fail(Errc::kEof, "read_some");
    return true;
  }
  if (reason_) reader.result_ = fail(*reason_);
  return reason_.has_value();
}

void TcpStream::Core::finish_read(Result<std::size_t> result) {
  ReadAwaiter* const reader = std::exchange(reader_, nullptr);
  reader->waiting_ = false;
  reader->result_ = std::move(result);
  reader->run();
}

// ---- writing

bool TcpStream::Core::try_write(WriteAwaiter& writer) {
  SSX_ASSERT(writer_ == nullptr || writer_ == &writer);  // one writer
  if (!is_open() || write_shut_) {
    writer.result_ = fail(reason());
    return true;
  }
  if (connection_ == nullptr) return false;
  const std::uint64_t high = connection_->table().options().output_high;
  const std::uint64_t unsent = connection_->unsent_bytes();
  const std::uint64_t room = unsent < high ? high - unsent : 0;
  const auto count = std::min<std::uint64_t>(room, writer.rest_.size());
  if (count > 0) connection_->out().append_copy(writer.rest_.first(count));
  writer.rest_ = writer.rest_.subspan(count);
  return writer.rest_.empty();
}

void TcpStream::Core::wait(WriteAwaiter& writer) noexcept {
  writer_ = &writer;
  look_again();
}

// on_drain comes only when a write was cut short. When the system took everything, nobody calls; so
// the queue is looked at after it has been sent, which is before this at the end of the turn.
void TcpStream::Core::look_again() {
  if (connection_ != nullptr) connection_->loop().at_turn_end(*this);
}

void TcpStream::Core::push_on() {
  if (writer_ == nullptr || connection_ == nullptr) return;
  if (is_open() && connection_->unsent_bytes() > connection_->table().options().output_low) {
    if (!connection_->is_blocked()) look_again();
    return;
  }
  if (try_write(*writer_)) {
    finish_write(writer_->result_);
  } else {
    look_again();
  }
}

void TcpStream::Core::finish_write(Result<void> result) {
  WriteAwaiter* const writer = std::exchange(writer_, nullptr);
  writer->waiting_ = false;
  writer->result_ = std::move(result);
  writer->run();
}

// ---- awaiters

TcpStream::ReadAwaiter::~ReadAwaiter() {
  if (waiting_) core_.give_up(*this);
}
bool TcpStream::ReadAwaiter::await_ready() { return core_.try_read(*this); }
void TcpStream::ReadAwaiter::await_suspend(std::coroutine_handle<> handle) noexcept {
  set_handle(handle);
  waiting_ = true;
  core_.wait(*this);
}

TcpStream::WriteAwaiter::~WriteAwaiter() {
  if (waiting_) core_.give_up(*this);
}
bool TcpStream::WriteAwaiter::await_ready() { return core_.try_write(*this); }
void TcpStream::WriteAwaiter::await_suspend(std::coroutine_handle<> handle) noexcept {
  set_handle(handle);
  waiting_ = true;
  core_.wait(*this);
}

// ---- protocols

class TcpStream::StreamProtocol : public Protocol {
 public:
  explicit StreamProtocol(LocalRef<Core> core) noexcept : core_(std::move(core)) {}
  /// Without on_close: it was never opened, or the connection got another protocol.
  ~StreamProtocol() override { core_->ended(Error(Errc::kClosed, "stream")); }

  void on_open(Connection& connection) override { core_->open(connection); }
  void on_data(Connection&, InBuffer& in) override { core_->arrive(in); }
  void on_end(Connection&) override { core_->peer_ended(); }
  void on_drain(Connection&) override { core_->drained(); }
  void on_deadline(Connection& connection) override {
    connection.close(Error(Errc::kTimedOut, "stream"));
  }
  void on_close(Connection&, const Error& reason) override { core_->ended(reason); }

 protected:
  [[nodiscard]] const LocalRef<Core>& core() const noexcept { return core_; }

 private:
  const LocalRef<Core> core_;
};

namespace {
// The parameters live in the frame: the handler's closure so outlives the coroutine it makes.
Task<> handle_stream(std::shared_ptr<const StreamHandler> handler, TcpStream stream) {
  co_await (*handler)(std::move(stream));
}
}  // namespace

class TcpStream::ServingProtocol final : public StreamProtocol {
 public:
  ServingProtocol(LocalRef<Core> core, std::shared_ptr<const StreamHandler> handler) noexcept
      : StreamProtocol(std::move(core)), handler_(std::move(handler)) {}

  void on_open(Connection& connection) override {
    StreamProtocol::on_open(connection);
    spawn(connection.loop(), handle_stream(handler_, TcpStream(core())), &log_failure);
  }

 private:
  const std::shared_ptr<const StreamHandler> handler_;
};

std::unique_ptr<Protocol> serve_stream(std::shared_ptr<const StreamHandler> handler,
                                       const StreamOptions& options) {
  return std::make_unique<TcpStream::ServingProtocol>(
      LocalRef<TcpStream::Core>(new TcpStream::Core(options)), std::move(handler));
}

// ---- the stream

std::pair<TcpStream, std::unique_ptr<Protocol>> TcpStream::create(const StreamOptions& options) {
  LocalRef<Core> core(new Core(options));
  auto protocol = std::make_unique<StreamProtocol>(core);
  return {TcpStream(std::move(core)), std::move(protocol)};
}

TcpStream::TcpStream(LocalRef<Core> core) noexcept : core_(std::move(core)) {}
TcpStream::TcpStream(TcpStream&& other) noexcept = default;
TcpStream& TcpStream::operator=(TcpStream&& other) noexcept {
  if (this != &other) {
    abandon();
    core_ = std::move(other.core_);
  }
  return *this;
}
TcpStream::~TcpStream() { abandon(); }

void TcpStream::abandon() noexcept {
  if (core_) core_->close();
}

TcpStream::ReadAwaiter TcpStream::read_some(MutableBytes into) { return ReadAwaiter(*core_, into); }
TcpStream::WriteAwaiter TcpStream::write_all(ByteView bytes) { return WriteAwaiter(*core_, bytes); }

void TcpStream::shutdown_write() { core_->shutdown_write(); }
void TcpStream::close() { core_->close(); }
void TcpStream::reset() { core_->reset(); }

void TcpStream::set_deadline(Duration delay) {
  if (is_open() && core_->connection() != nullptr) core_->connection()->set_deadline(delay);
}
void TcpStream::clear_deadline() {
  if (is_open() && core_->connection() != nullptr) core_->connection()->clear_deadline();
}

bool TcpStream::is_open() const noexcept { return core_->is_open(); }
const SocketAddress& TcpStream::peer() const noexcept { return core_->peer(); }
ConnectionId TcpStream::id() const noexcept { return core_->id(); }

}  // namespace ssx::net
