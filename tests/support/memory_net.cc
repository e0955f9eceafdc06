#include "tests/support/memory_net.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/net/error.h"

namespace ssx::test {

using net::Accepted;
using net::Channel;
using net::Errc;
using net::Readiness;
using net::SocketAddress;

namespace {

sys::UniqueFd make_ticket() {
  const int fd = ::eventfd(0, EFD_CLOEXEC);
  SSX_ASSERT(fd >= 0);
  return sys::UniqueFd(fd);
}

}  // namespace

namespace internal {

/// Both directions, between a transport (ours) and either a test or another transport (theirs).
class MemoryWire {
 public:
  struct End {
    std::string inbox;      ///< has arrived, not read
    std::size_t taken = 0;  ///< has arrived, and was read or is lost
    std::size_t room = 1 << 20;
    bool ended = false;  ///< FIN has arrived
    bool gone = false;   ///< the end itself has been closed
    bool reset = false;  ///< RST has arrived
    std::size_t read_most = SIZE_MAX;
    std::size_t write_most = SIZE_MAX;
    std::size_t block_write = 0;  ///< counts down; 1: this one
    int read_error = 0;
    int write_error = 0;
    std::size_t reads = 0;
    std::size_t writes = 0;
  };
  End ours;
  End theirs;
};

class MemoryPoller final : public net::Poller {
 public:
  explicit MemoryPoller(MemoryNet& net) : net_(net) { net_.pollers_.push_back(this); }
  ~MemoryPoller() override { std::erase(net_.pollers_, this); }

  Result<void> add(Channel& channel, Readiness interest) override {
    ++net_.controls_;
    if (const int error = std::exchange(net_.add_error_, 0); error != 0) {
      return fail_errno(error, "epoll_add");
    }
    if (!entries_.insert({channel.fd(), {&channel, interest}}).second) {
      return fail_errno(EEXIST, "epoll_add");
    }
    return {};
  }
  Result<void> modify(Channel& channel, Readiness interest) override {
    ++net_.controls_;
    const auto found = entries_.find(channel.fd());
    if (found == entries_.end()) return fail_errno(ENOENT, "epoll_modify");
    found->second = {&channel, interest};
    return {};
  }
  void remove(Channel& channel) override {
    ++net_.controls_;
    SSX_ASSERT(entries_.erase(channel.fd()) == 1, channel.fd());
  }
  std::span<Event> wait(bool may_block) override {
    events_.clear();
    std::vector<pollfd> real;
    std::vector<Channel*> channels;
    for (auto& [fd, entry] : entries_) {
      if (const auto source = net_.sources_.find(fd); source != net_.sources_.end()) {
        note(entry, *source->second);
      } else {
        real.push_back({fd, POLLIN, 0});
        channels.push_back(entry.channel);
      }
    }
    const int timeout = may_block && events_.empty() ? -1 : 0;
    if (::poll(real.data(), real.size(), timeout) > 0) {
      for (std::size_t i = 0; i < real.size(); ++i) {
        if (real[i].revents & POLLIN) note(*channels[i], net::kReadable, net::kReadable);
      }
    }
    return events_;
  }
  void forget(int fd) { entries_.erase(fd); }

 private:
  struct Entry {
    Channel* channel;
    Readiness interest;
    std::size_t told = 0;  ///< with kEdge: of Source::arrivals(), those that were reported
  };
  void note(Entry& entry, const MemoryNet::Source& source) {
    unsigned ready = source.ready();
    if (entry.interest & net::kEdge) {
      // One more than there are: what is there when it is added or changed is reported too.
      if (std::exchange(entry.told, source.arrivals() + 1) == source.arrivals() + 1) return;
      if (source.has_more_than_a_read_tells()) ready |= net::kBeyond;
    }
    note(*entry.channel, entry.interest, static_cast<Readiness>(ready));
  }
  void note(Channel& channel, Readiness interest, Readiness ready) {
    const unsigned always = net::kHangup | net::kError | net::kBeyond;
    const auto told = static_cast<Readiness>(ready & (interest | always));
    if (told != net::kNothing) events_.push_back({&channel, told});
  }

  MemoryNet& net_;
  std::map<int, Entry> entries_;
  std::vector<Event> events_;
};

}  // namespace internal

using internal::MemoryPoller;
using internal::MemoryWire;

/// One end of a wire. `mine` is what arrives here, `far` what arrives there.
class MemoryNet::Transport final : public net::Transport, public MemoryNet::Source {
 public:
  Transport(MemoryNet& net, std::shared_ptr<MemoryWire> wire, bool is_ours, int fd)
      : net_(net),
        wire_(std::move(wire)),
        mine_(is_ours ? wire_->ours : wire_->theirs),
        far_(is_ours ? wire_->theirs : wire_->ours),
        fd_(fd) {
    net_.sources_[fd_] = this;
  }
  ~Transport() override { close(false); }

  Result<std::size_t> read(MutableBytes into) override {
    SSX_ASSERT(!into.empty());
    SSX_ASSERT(fd_ >= 0);
    ++mine_.reads;
    if (const int error = std::exchange(mine_.read_error, 0); error != 0) {
      return fail_errno(error, "read");
    }
    if (!mine_.inbox.empty()) {
      const auto count = std::min({mine_.inbox.size(), into.size(), mine_.read_most});
      std::ranges::copy(as_bytes(mine_.inbox).first(count), into.begin());
      mine_.inbox.erase(0, count);
      mine_.taken += count;
      return count;
    }
    if (mine_.reset) return fail_errno(ECONNRESET, "read");
    if (mine_.ended || far_.gone) return fail(Errc::kEof, "read");
    return fail(Errc::kWouldBlock, "read");
  }
  [[nodiscard]] bool reads_all() const noexcept override { return true; }

  Result<std::size_t> write(std::span<const ByteView> parts, bool) override {
    SSX_ASSERT(!parts.empty() && parts.size() <= kPartsMax, parts.size());
    SSX_TRY(std::size_t room, begin_write());
    std::size_t count = 0;
    for (const ByteView part : parts) {
      SSX_ASSERT(!part.empty());
      const ByteView taken = part.first(std::min(part.size(), room));
      far_.inbox += as_text(taken);
      room -= taken.size();
      count += taken.size();
    }
    return count;
  }

  Result<std::size_t> send_file(const FileSlice& file) override {
    SSX_ASSERT(file.size > 0);
    SSX_TRY(const std::size_t room, begin_write());
    std::string bytes(std::min<std::uint64_t>(file.size, room), '\0');
    const auto count =
        ::pread(file.fd, bytes.data(), bytes.size(), static_cast<off_t>(file.offset));
    if (count < 0) return fail_errno(errno, "send_file");
    if (count == 0) return fail(Errc::kFileTruncated, "send_file");
    far_.inbox.append(bytes, 0, static_cast<std::size_t>(count));
    return static_cast<std::size_t>(count);
  }

  Result<void> shutdown_write() override {
    if (far_.gone || mine_.reset) return fail_errno(ENOTCONN, "shutdown_write");
    far_.ended = true;
    return {};
  }
  Result<void> handshake() override { return {}; }

  void close(bool reset) noexcept override {
    if (fd_ < 0) return;
    net_.forget(std::exchange(fd_, -1));
    mine_.gone = true;
    if (reset) {
      far_.reset = true;
    } else {
      far_.ended = true;
    }
  }

  [[nodiscard]] Readiness ready() const override {
    unsigned ready = net::kNothing;
    const bool no_more = mine_.ended || mine_.reset || far_.gone;
    if (!mine_.inbox.empty() || no_more) ready |= net::kReadable;
    if (far_.inbox.size() < far_.room || far_.gone) ready |= net::kWritable;
    if (far_.gone || mine_.reset || (mine_.ended && far_.ended)) ready |= net::kHangup;
    if (mine_.reset) ready |= net::kError;
    return static_cast<Readiness>(ready);
  }
  [[nodiscard]] std::size_t arrivals() const override {
    return mine_.taken + mine_.inbox.size() + (mine_.ended ? 1 : 0) + (mine_.reset ? 1 : 0) +
           (far_.gone ? 1 : 0);
  }
  [[nodiscard]] bool has_more_than_a_read_tells() const override {
    return mine_.ended || far_.gone || mine_.inbox.size() > mine_.read_most;
  }

 private:
  /// How much may be written now.
  Result<std::size_t> begin_write() {
    SSX_ASSERT(fd_ >= 0);
    ++mine_.writes;
    if (const int error = std::exchange(mine_.write_error, 0); error != 0) {
      return fail_errno(error, "write");
    }
    if (mine_.reset) return fail_errno(ECONNRESET, "write");
    if (far_.gone || far_.ended) return fail_errno(EPIPE, "write");
    const bool blocked = mine_.block_write > 0 && --mine_.block_write == 0;
    const std::size_t room = far_.room - std::min(far_.room, far_.inbox.size());
    if (blocked || room == 0) return fail(Errc::kWouldBlock, "write");
    return std::min(room, mine_.write_most);
  }

  MemoryNet& net_;
  const std::shared_ptr<MemoryWire> wire_;
  MemoryWire::End& mine_;
  MemoryWire::End& far_;
  int fd_;
};

class MemoryNet::MemoryListener final : public net::Listener, public MemoryNet::Source {
 public:
  MemoryListener(MemoryNet& net, const SocketAddress& at)
      : net_(net), address_(at), ticket_(make_ticket()) {
    net_.sources_[ticket_.get()] = this;
    net_.listeners_.push_back(this);
  }
  ~MemoryListener() override {
    net_.forget(ticket_.get());
    std::erase(net_.listeners_, this);
  }
  Result<Accepted> accept() override {
    ++net_.accepts_;
    if (!net_.accept_errors_.empty()) {
      const int error = net_.accept_errors_.front();
      net_.accept_errors_.pop_front();
      return fail_errno(error, "accept");
    }
    if (backlog.empty() && net_.accepting_ended_) return fail(Errc::kClosed, "accept");
    if (backlog.empty()) return fail_errno(EAGAIN, "accept");
    Accepted next = std::move(backlog.front());
    backlog.pop_front();
    return next;
  }
  [[nodiscard]] bool somebody_waits() const override {
    return !backlog.empty() || !net_.accept_errors_.empty() || net_.accepting_ended_;
  }
  void refuse_new() noexcept override { refuses_ = true; }
  [[nodiscard]] bool takes(const SocketAddress& at) const { return !refuses_ && address_ == at; }
  [[nodiscard]] int fd() const noexcept override { return ticket_.get(); }
  [[nodiscard]] SocketAddress address() const noexcept override { return address_; }
  [[nodiscard]] std::string name() const override { return "memory:" + address_.to_string(); }
  [[nodiscard]] Readiness ready() const override {
    return backlog.empty() ? net::kNothing : net::kReadable;
  }

  std::deque<Accepted> backlog;

 private:
  MemoryNet& net_;
  const SocketAddress address_;
  const sys::UniqueFd ticket_;
  bool refuses_ = false;
};

MemoryNet::MemoryNet() = default;
MemoryNet::~MemoryNet() { SSX_ASSERT(listeners_.empty() && pollers_.empty()); }

std::unique_ptr<net::Poller> MemoryNet::make_poller() {
  return std::make_unique<MemoryPoller>(*this);
}

MemoryNet::Pair MemoryNet::pair(const SocketAddress& from) {
  auto wire = std::make_shared<MemoryWire>();
  sys::UniqueFd ticket = make_ticket();
  auto transport = std::make_unique<Transport>(*this, wire, true, ticket.get());
  return {{std::move(ticket), from, std::move(transport)}, MemoryPeer(std::move(wire))};
}

Result<std::unique_ptr<net::Listener>> MemoryNet::listen(const net::ListenOptions& options,
                                                         const net::TcpOptions&) {
  const std::uint16_t port = options.port != 0 ? options.port : next_port_++;
  SSX_TRY(const SocketAddress at, SocketAddress::parse(options.address, port));
  for (const MemoryListener* listener : listeners_) {
    if (listener->address() == at) return fail_errno(EADDRINUSE, "bind");
  }
  return std::make_unique<MemoryListener>(*this, at);
}

MemoryPeer MemoryNet::dial(const SocketAddress& to, const SocketAddress& from) {
  for (MemoryListener* listener : listeners_) {
    if (!listener->takes(to)) continue;
    Pair made = pair(from);
    listener->backlog.push_back(std::move(made.accepted));
    return made.peer;
  }
  return {};
}

Result<Accepted> MemoryNet::connect(const SocketAddress& to, const net::TcpOptions&) {
  for (MemoryListener* listener : listeners_) {
    if (!listener->takes(to)) continue;
    const auto wire = std::make_shared<MemoryWire>();
    sys::UniqueFd near = make_ticket();
    sys::UniqueFd far = make_ticket();
    auto near_end = std::make_unique<Transport>(*this, wire, true, near.get());
    auto far_end = std::make_unique<Transport>(*this, wire, false, far.get());
    listener->backlog.push_back({std::move(far), {}, std::move(far_end)});
    return Accepted{std::move(near), to, std::move(near_end)};
  }
  return fail_errno(ECONNREFUSED, "connect");
}

void MemoryNet::fail_accept(int error, std::size_t times) {
  accept_errors_.insert(accept_errors_.end(), times, error);
}

void MemoryNet::forget(int fd) {
  sources_.erase(fd);
  for (MemoryPoller* poller : pollers_) poller->forget(fd);
}

// ---- the peer

void MemoryPeer::send(std::string_view bytes) {
  SSX_ASSERT(!wire_->theirs.gone && !wire_->ours.ended);
  wire_->ours.inbox += bytes;
}
void MemoryPeer::end() { wire_->ours.ended = true; }
void MemoryPeer::close() {
  wire_->ours.ended = true;
  wire_->theirs.gone = true;
}
void MemoryPeer::reset() {
  wire_->ours.reset = true;
  wire_->ours.taken += wire_->ours.inbox.size();
  wire_->ours.inbox.clear();
  wire_->theirs.gone = true;
}
std::string MemoryPeer::take(std::size_t most) {
  std::string& inbox = wire_->theirs.inbox;
  std::string taken = inbox.substr(0, most);
  inbox.erase(0, most);
  return taken;
}
const std::string& MemoryPeer::received() const { return wire_->theirs.inbox; }
bool MemoryPeer::saw_end() const { return wire_->theirs.ended; }
bool MemoryPeer::saw_close() const { return wire_->ours.gone && !wire_->theirs.reset; }
bool MemoryPeer::saw_reset() const { return wire_->theirs.reset; }
std::size_t MemoryPeer::unread() const { return wire_->ours.inbox.size(); }
MemoryPeer& MemoryPeer::room(std::size_t bytes) {
  wire_->theirs.room = bytes;
  return *this;
}
MemoryPeer& MemoryPeer::read_at_most(std::size_t bytes) {
  wire_->ours.read_most = bytes;
  return *this;
}
MemoryPeer& MemoryPeer::write_at_most(std::size_t bytes) {
  wire_->ours.write_most = bytes;
  return *this;
}
MemoryPeer& MemoryPeer::block_write(std::size_t nth) {
  wire_->ours.block_write = nth;
  return *this;
}
MemoryPeer& MemoryPeer::fail_read(int error) {
  wire_->ours.read_error = error;
  return *this;
}
MemoryPeer& MemoryPeer::fail_write(int error) {
  wire_->ours.write_error = error;
  return *this;
}
std::size_t MemoryPeer::reads() const { return wire_->ours.reads; }
std::size_t MemoryPeer::writes() const { return wire_->ours.writes; }

}  // namespace ssx::test
