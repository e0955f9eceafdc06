#include "ssxrver/net/resolver.h"

#include <algorithm>
#include <coroutine>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/loop_continuation.h"
#include "ssxrver/sys/name.h"

namespace ssx::net {
namespace {
using Found = Result<std::vector<sys::RawAddress>>;
}

/// Waits for the answer or for the end of its patience, whatever comes first. The answer that comes
/// second finds that nobody waits: the link between the two is loop-only.
class Resolver::Waiter final : private LoopContinuation {
 public:
  Waiter(const Resolver& resolver, std::string host, Duration patience)
      : resolver_(resolver), host_(std::move(host)), patience_(patience) {}
  ~Waiter() {
    if (link_ == nullptr) return;
    link_->waiter = nullptr;
    loop_->cancel(timer_);
  }
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    loop_ = EventLoop::current();
    SSX_ASSERT(loop_ != nullptr);
    loop_->assert_in_loop_thread();
    set_handle(handle);
    link_ = std::make_shared<Link>();
    link_->waiter = this;
    timer_ = loop_->run_after(patience_, [this] { finish(fail(Errc::kTimedOut, "resolve")); });
    resolver_.tasks_.run(
        *loop_,
        [host = std::move(host_), look_up = resolver_.look_up_]() -> Found {
          return (*look_up)(host);
        },
        [link = link_](Found found) {
          if (link->waiter != nullptr) link->waiter->finish(std::move(found));
        });
  }
  Found await_resume() { return std::move(found_); }

 private:
  struct Link {
    Waiter* waiter = nullptr;
  };

  void finish(Found found) {
    loop_->assert_in_loop_thread();
    std::exchange(link_, nullptr)->waiter = nullptr;
    loop_->cancel(timer_);
    found_ = std::move(found);
    run();
  }

  const Resolver& resolver_;
  std::string host_;
  const Duration patience_;
  EventLoop* loop_ = nullptr;
  TimerId timer_;
  std::shared_ptr<Link> link_;  ///< null while nobody waits
  Found found_;
};

Resolver::Resolver(TaskPool& tasks)
    : Resolver(tasks,
               [](const std::string& host) { return sys::resolve_name(host, kAddressesMax); }) {}

Resolver::Resolver(TaskPool& tasks, LookUp look_up)
    : tasks_(tasks), look_up_(std::make_shared<const LookUp>(std::move(look_up))) {}

Task<Result<std::vector<SocketAddress>>> Resolver::resolve(std::string host, std::uint16_t port,
                                                           Duration patience) const {
  std::vector<SocketAddress> addresses;
  if (const auto literal = SocketAddress::parse(host, port)) {
    addresses.push_back(*literal);
    co_return addresses;
  }
  Waiter waiter(*this, std::move(host), patience);
  const Found found = co_await waiter;
  if (!found) co_return fail(found.error());
  for (const sys::RawAddress& raw : *found) {
    if (addresses.size() == kAddressesMax) break;
    addresses.push_back(SocketAddress::from_raw(raw).with_port(port));
  }
  if (addresses.empty()) co_return fail(ssx::Errc::kNotFound, "resolve");
  co_return addresses;
}

}  // namespace ssx::net
