#include "ssxrver/net/tcp_server.h"

#include <fmt/core.h>

#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/memory_meter.h"
#include "ssxrver/net/proxy_protocol.h"
#include "ssxrver/sys/process.h"
#include "ssxrver/sys/socket_option.h"

namespace ssx::net {
namespace {

constexpr Duration kShedInterval = std::chrono::milliseconds(100);
constexpr Duration kSaveInterval = std::chrono::milliseconds(500);
constexpr Duration kShedMinIdle = std::chrono::seconds(1);
constexpr Duration kDrainPoll = std::chrono::milliseconds(10);
// A client that was answered its SYN believes that it is connected, and may have sent its request:
// so long may the rest of its handshake take.
constexpr Duration kHandshakeGrace = std::chrono::milliseconds(100);
// With `tcp.defer_accept` the kernel keeps it until it is asked again, a second after its SYN.
constexpr Duration kDeferredGrace = std::chrono::milliseconds(1300);

Error shutdown_error() { return {make_error_code(Errc::kShutdown), "server"}; }

}  // namespace

tl::expected<std::unique_ptr<TcpServer>, TcpServer::Failure> TcpServer::create(
    EventLoop& loop, NetStack& stack, TcpServerOptions options, ProtocolFactory factory) {
  const auto failed = [](const Error& error, std::string listener = "") {
    return tl::unexpected(Failure{error, std::move(listener)});
  };
  auto admission = Admission::create(options.workers.blocked, options.access);
  if (!admission) return failed(admission.error());
  const auto files = sys::file_limit();
  if (!files) return failed(files.error());
  std::unique_ptr<TcpServer> server(new TcpServer(loop, std::move(options), std::move(factory),
                                                  *std::move(admission), files->soft));
  for (const ListenOptions& listener : server->options_.listeners) {
    if (const auto bound = server->bind_group(stack, listener); !bound) {
      return failed(bound.error(), listener.unix_path.empty()
                                       ? fmt::format("{}:{}", listener.address, listener.port)
                                       : "unix:" + listener.unix_path);
    }
  }
  if (const auto created = server->create_workers(); !created) return failed(created.error());
  return server;
}

TcpServer::TcpServer(EventLoop& loop, TcpServerOptions options, ProtocolFactory factory,
                     std::unique_ptr<Admission> admission, std::uint64_t file_limit)
    : loop_(loop),
      options_(std::move(options)),
      factory_(std::move(factory)),
      admission_(std::move(admission)),
      memory_watch_(loop, options_.memory, resolve_memory_max(options_.memory),
                    options_.memory_meter ? options_.memory_meter : resident_memory, overload_),
      limits_(options_.workers, file_limit),
      touched_(options_.workers.count) {}

TcpServer::~TcpServer() { stop(); }

// With reuseport the first socket is bound without it: a server that already listens there would
// otherwise share its port with us, and take half of the connections, without a word. It shares the
// port from then on, and not one that replaces it: whoever connects meanwhile would be reset.
Result<void> TcpServer::bind_group(NetStack& stack, const ListenOptions& wanted) {
  ListenerGroup group;
  const bool shares = options_.workers.accept == AcceptMode::kReusePort &&
                      wanted.unix_path.empty() && wanted.inherited_fd < 0;
  SSX_TRY(auto first, stack.listen(wanted, options_.tcp));
  if (shares) SSX_TRY_VOID(sys::set_option(first->fd(), sys::SocketOption::kReusePort, 1));
  group.sockets.push_back(std::move(first));
  ListenOptions next = wanted;
  next.port = group.sockets.front()->address().port();
  next.reuse_port = true;
  for (unsigned worker = 1; shares && worker < options_.workers.count; ++worker) {
    SSX_TRY(auto socket, stack.listen(next, options_.tcp));
    group.sockets.push_back(std::move(socket));
  }
  addresses_.push_back(group.sockets.front()->address());
  names_.push_back(group.sockets.front()->name());
  listeners_.push_back(std::move(group));
  return {};
}

Result<void> TcpServer::create_workers() {
  for (unsigned index = 0; index < options_.workers.count; ++index) {
    SSX_TRY(auto worker, Worker::create(index, options_.loop, options_.connection,
                                        [this](Worker& to, Worker::HandOver socket) {
                                          open(to, std::move(socket));
                                        }));
    worker->connections().on_removed([this, index](const Connection& ended) {
      give_back_place(index, ended.peer(), ended.is_counted());
    });
    workers_.push_back(std::move(worker));
  }
  return {};
}

Result<void> TcpServer::start(std::function<void(Worker&)> on_worker_start) {
  loop_.assert_in_loop_thread();
  SSX_ASSERT(!started_);
  if (stopped_) return fail(shutdown_error());
  started_ = true;
  // While their loops do not run yet they belong to this thread, which can still report an error.
  for (const auto& worker : workers_) SSX_TRY_VOID(start_own_acceptors(*worker));
  for (const auto& worker : workers_) {
    SSX_TRY_VOID(worker->start(core_of(worker->index() + 1), [&worker = *worker, on_worker_start] {
      if (on_worker_start) on_worker_start(worker);
    }));
  }
  SSX_TRY_VOID(start_watchdog());
  if (options_.workers.accept == AcceptMode::kThread) {
    for (std::uint32_t listener = 0; listener < listeners_.size(); ++listener) {
      acceptors_.push_back(make_handing_acceptor(listener));
      SSX_TRY_VOID(acceptors_.back()->start());
    }
    // On a core that it shares with a worker it would interrupt it for every few clients.
    (void)sys::wait_for_turn(true);
  }
  shed_timer_ = loop_.run_every(kShedInterval, [this] { shed_load(); });
  save_timer_ = loop_.run_every(kSaveInterval, [this] { save_memory(); });
  memory_watch_.start();
  return {};
}

Result<void> TcpServer::start_watchdog() {
  if (options_.loop.stall_kill == milliseconds::zero()) return {};
  std::vector<StallWatchdog::Watched> watched{{&loop_, "the main loop"}};
  for (const auto& worker : workers_) {
    watched.push_back({&worker->loop(), fmt::format("worker-{}", worker->index())});
  }
  SSX_TRY(watchdog_, StallWatchdog::start(options_.loop.stall_kill, std::move(watched)));
  return {};
}

// ---- accepting

void TcpServer::open(Worker& worker, Worker::HandOver socket) {
  auto protocol = factory_(worker, socket.listener);
  const SocketAddress peer = socket.accepted.peer;
  const bool is_counted = socket.accepted.is_counted;
  const ProxyMode proxy = options_.listeners[socket.listener].proxy;
  if (protocol != nullptr && proxy != ProxyMode::kOff && admission_->proxies().contains(peer)) {
    protocol = std::make_unique<ProxyProtocol>(std::move(protocol), proxy,
                                               options_.access.proxy_header_timeout, *admission_,
                                               worker.accept_counters());
  }
  if (protocol == nullptr ||
      worker.connections().adopt(std::move(socket.accepted), std::move(protocol)) == nullptr) {
    give_back_place(worker.index(), peer, is_counted);
  }
}

void TcpServer::give_back_place(unsigned worker, const SocketAddress& peer,
                                bool is_counted) noexcept {
  limits_.remove(worker);
  if (is_counted) admission_->leave(peer);
}

Acceptor::Options TcpServer::acceptor_options(std::uint32_t listener, bool exclusive) const {
  const WorkerOptions& workers = options_.workers;
  return {.batch = workers.max_accept_batch,
          .exclusive = exclusive,
          .yields = workers.accept == AcceptMode::kThread,
          .overload = workers.overload_action,
          .proxy = options_.listeners[listener].proxy,
          .memory = &overload_};
}

std::unique_ptr<Acceptor> TcpServer::make_handing_acceptor(std::uint32_t listener) {
  Acceptor::Hooks hooks;
  hooks.is_full = [this] { return limits_.is_full(); };
  hooks.reserve = [this] {
    const auto worker = limits_.try_add(options_.workers.balance);
    if (worker) reserved_worker_ = *worker;
    return worker.has_value();
  };
  hooks.take = [this, listener](Accepted accepted) {
    hand_to(reserved_worker_, std::move(accepted), listener);
  };
  hooks.batch_done = [this] { wake_workers(); };
  return std::make_unique<Acceptor>(loop_, *listeners_[listener].sockets.front(),
                                    acceptor_options(listener, false), *admission_,
                                    accept_counters_, std::move(hooks));
}

std::unique_ptr<Acceptor> TcpServer::make_worker_acceptor(Worker& worker, std::uint32_t listener) {
  Acceptor::Hooks hooks;
  hooks.is_full = [this, &worker] { return limits_.is_full(worker.index()); };
  hooks.reserve = [this, &worker] { return limits_.try_add(worker.index()); };
  hooks.take = [&worker, listener](Accepted accepted) {
    worker.open({std::move(accepted), listener});
  };
  hooks.batch_done = [] {};
  const auto& sockets = listeners_[listener].sockets;
  const bool exclusive = sockets.size() == 1;
  return std::make_unique<Acceptor>(worker.loop(), *sockets[exclusive ? 0 : worker.index()],
                                    acceptor_options(listener, exclusive), *admission_,
                                    worker.accept_counters(), std::move(hooks));
}

Result<void> TcpServer::start_own_acceptors(Worker& worker) {
  if (options_.workers.accept == AcceptMode::kThread) return {};
  for (std::uint32_t listener = 0; listener < listeners_.size(); ++listener) {
    worker.acceptors().push_back(make_worker_acceptor(worker, listener));
    SSX_TRY_VOID(worker.acceptors().back()->start());
  }
  return {};
}

void TcpServer::hand_to(unsigned worker, Accepted accepted, std::uint32_t listener) {
  touched_[worker] = true;
  const SocketAddress peer = accepted.peer;
  const bool is_counted = accepted.is_counted;
  Worker::HandOver socket{std::move(accepted), listener};
  if (workers_[worker]->hand_over(std::move(socket))) return;
  // The ring is full: the worker is far behind. Its mailbox takes what the ring does not.
  // NOLINTNEXTLINE(bugprone-use-after-move): hand_over() has left it untouched
  auto boxed = std::make_unique<Worker::HandOver>(std::move(socket));
  const bool posted = workers_[worker]->loop().post(
      [to = workers_[worker].get(), boxed = std::move(boxed)] { to->open(std::move(*boxed)); });
  if (!posted) give_back_place(worker, peer, is_counted);
}

void TcpServer::wake_workers() {
  for (unsigned worker = 0; worker < workers_.size(); ++worker) {
    if (!touched_[worker]) continue;
    touched_[worker] = false;
    if (workers_[worker]->wake()) accept_counters_.wakeups.add();
  }
}

// Above the soft limit the workers close connections that wait for nothing, oldest first, and
// protocols keep none.
void TcpServer::shed_load() {
  const std::uint64_t total = limits_.total();  // once: it changes while we look
  overload_.set_crowded(total >= limits_.soft_max());
  if (!overload_.is_crowded()) return;
  const std::uint64_t excess = total - limits_.soft_max() + 1;
  const std::size_t share = static_cast<std::size_t>(excess / workers_.size() + 1);
  for (const auto& worker : workers_) {
    worker->loop().post(
        [&worker = *worker, share] { worker.connections().close_idle(share, kShedMinIdle); });
  }
}

// A connection that waits has a timer that was set when there was memory.
void TcpServer::save_memory() {
  const OverloadLevel level = overload_.level();
  if (level < OverloadLevel::kSave) return;
  const Duration idle = options_.memory.idle_timeout;
  const bool stops = level >= OverloadLevel::kStop && on_memory_stop_;
  for (const auto& worker : workers_) {
    worker->loop().post([this, &worker = *worker, idle, stops] {
      if (idle > Duration::zero()) worker.connections().close_idle(SIZE_MAX, idle / 2);
      if (stops) on_memory_stop_(worker);
    });
  }
}

// ---- ending

void TcpServer::stop_accepting() {
  loop_.assert_in_loop_thread();
  loop_.cancel(shed_timer_);
  if (acceptors_.empty()) return;
  for (const auto& acceptor : acceptors_) acceptor->stop();
  acceptors_.clear();
  (void)sys::wait_for_turn(false);
}

void TcpServer::drain(Duration idle_grace, Duration timeout, UniqueFunction<void()> done) {
  loop_.assert_in_loop_thread();
  if (stopped_) {
    if (done) loop_.post(std::move(done));
    return;
  }
  on_drained_ = std::move(done);
  drained_in_time_ = true;
  loop_.cancel(shed_timer_);
  if (!std::exchange(draining_, true)) refuse_newcomers();
  for (const auto& worker : workers_) {
    worker->loop().post([this, &worker = *worker, idle_grace] {
      worker.connections().drain(idle_grace);
      if (on_worker_drain_) on_worker_drain_(worker);
    });
  }
  loop_.cancel(drain_timer_);
  loop_.cancel(drain_poll_);
  drain_timer_ = loop_.run_after(timeout, [this] { give_up_draining(); });
  drain_poll_ = loop_.run_every(kDrainPoll, [this] { look_at_drain(); });
}

// Closing a listener resets whoever waits in its backlog. So nobody may come while it is emptied
// for the last time.
void TcpServer::refuse_newcomers() {
  loop_.assert_in_loop_thread();
  for (const ListenerGroup& group : listeners_) {
    for (const auto& socket : group.sockets) socket->refuse_new();
  }
  if (!started_) return;
  accepting_workers_ = workers_.size();
  const bool defers = options_.tcp.defer_accept.count() > 0;
  accept_end_ = loop_.run_after(defers ? kDeferredGrace : kHandshakeGrace,
                                [this] { stop_accepting_everywhere(); });
}

void TcpServer::stop_accepting_everywhere() {
  stop_accepting();
  for (const auto& worker : workers_) {
    worker->loop().post([this, &worker = *worker] {
      for (const auto& acceptor : worker.acceptors()) acceptor->stop();
      worker.acceptors().clear();
      --accepting_workers_;
    });
  }
}

// Polled, not posted by the workers: a post could arrive when this server has gone.
void TcpServer::look_at_drain() {
  if (accepting_workers_ > 0) return;
  // Clients are refused from here on instead of waiting in a backlog.
  listeners_.clear();
  if (limits_.total() == 0) finish_drain();
}

void TcpServer::give_up_draining() {
  drained_in_time_ = false;
  if (const std::uint64_t left = limits_.total(); left > 0) {
    SSX_LOG_WARN("draining took too long: {} connections are cut off", left);
  }
  finish_drain();
}

void TcpServer::finish_drain() {
  loop_.assert_in_loop_thread();
  loop_.cancel(drain_timer_);
  loop_.cancel(drain_poll_);
  if (on_drained_) std::exchange(on_drained_, nullptr)();
}

void TcpServer::stop() {
  if (std::exchange(stopped_, true)) return;
  loop_.assert_in_loop_thread();
  memory_watch_.stop();
  loop_.cancel(save_timer_);
  loop_.cancel(accept_end_);
  loop_.cancel(drain_timer_);
  loop_.cancel(drain_poll_);
  stop_accepting();
  for (const auto& worker : workers_) {
    worker->loop().post([&worker = *worker, in_time = drained_in_time_] {
      worker.acceptors().clear();
      if (!in_time) worker.connections().cut_off(shutdown_error());
      worker.connections().close_all(shutdown_error(), false);
    });
    worker->stop();
  }
  for (const auto& worker : workers_) {
    worker->join();
    worker->acceptors().clear();  // of a worker that was never started
    worker->discard_handed_over([this, index = worker->index()](const Accepted& left) {
      give_back_place(index, left.peer, left.is_counted);
    });
  }
  watchdog_.reset();  // not before: a worker that hangs would be waited for without end
  listeners_.clear();
}

bool TcpServer::post(ConnectionId id, UniqueFunction<void(Connection&)> fn) {
  if (id.worker >= workers_.size()) return false;
  Worker& worker = *workers_[id.worker];
  return worker.loop().post([&worker, slot = id.slot, fn = std::move(fn)]() mutable {
    if (Connection* connection = worker.connections().find(slot)) fn(*connection);
  });
}

// ---- observers

std::uint64_t TcpServer::accepted() const noexcept {
  std::uint64_t sum = accept_counters_.accepted.value();
  for (const auto& worker : workers_) sum += worker->accept_counters().accepted.value();
  return sum;
}

std::optional<unsigned> TcpServer::core_of(unsigned position) const noexcept {
  if (position >= options_.workers.cores.size()) return std::nullopt;
  return options_.workers.cores[position];
}

}  // namespace ssx::net
