// A server with plugins, as the daemon has them, in a thread of its own.
//
//   Hosted hosted({plugin("steps")});
//   EXPECT_EQ(hosted.get("/say"), "nothing");
//   EXPECT_EQ(hosted.reload("steps"), "");
//
// Thread: the test's; what is told by callbacks runs on the control loop
// Owner:  the test
// Life:   from the first listener to the destructor, or stop()
// Bounds: two workers, one task thread
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ssxrver/app/app.h"
#include "ssxrver/base/mutex.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/tcp_server.h"
#include "ssxrver/net/worker.h"
#include "ssxrver/plugin/manager/manager.h"
#include "ssxrver/plugin/toolchain.h"
#include "tests/support/raw_client.h"

namespace ssx::plugins::test {

using ssx::test::RawClient;
using ssx::test::RawResponse;

inline PluginNeeds needs() {
  return {{"ssxrver.http", "ssxrver.websocket", "ssxrver.loop"}, SSXRVER_TOOLCHAIN};
}

inline AppOptions app_options() {
  AppOptions options;
  options.server.workers.count = 2;
  options.tasks.threads = 1;
  return options;
}

class Hosted {
 public:
  struct Options {
    std::vector<PluginOptions> plugins;
    std::size_t generations_max = PluginDefaults().generations_max;
    EnvironmentOptions::SocketOptions socket_options = {};
    /// Between App::bind() and App::serve().
    std::function<void(std::uint16_t port)> before_serve = {};
  };

  explicit Hosted(Options options) : wanted_(options.plugins) {
    std::promise<std::uint16_t> started;
    auto outcome = started.get_future();
    thread_ = std::thread([this, &started, options = std::move(options)] {
      run(options, started);
      may_end_.get_future().wait();
      app_.reset();
      manager_.reset();
    });
    port = outcome.get();
    wait_for_loops();
  }
  ~Hosted() { stop(); }
  Hosted(const Hosted&) = delete;
  Hosted& operator=(const Hosted&) = delete;

  /// Returns when all of it is gone.
  void stop() {
    if (!thread_.joinable()) return;
    app_->stop();
    may_end_.set_value();
    thread_.join();
  }

  /// From now on the configuration says this of it.
  void configure(const PluginOptions& plugin) {
    const MutexLock lock(mutex_);
    *std::ranges::find(wanted_, plugin.name, &PluginOptions::name) = plugin;
  }
  /// From now on it cannot be read.
  void lose_configuration() {
    const MutexLock lock(mutex_);
    wanted_.clear();
  }

  /// On the control loop.
  template <class F>
  auto look(F fn) {
    std::promise<decltype(fn(*manager_))> seen;
    app_->loop().post([this, &seen, &fn] { seen.set_value(fn(*manager_)); });
    return seen.get_future().get();
  }
  /// "" when all went well.
  std::string reload(const std::string& name) {
    std::promise<std::string> done;
    auto outcome = done.get_future();
    app_->loop().post([this, &done, &name] {
      manager_->reload(name, [&done](const Outcome<>& reloaded) {
        done.set_value(reloaded ? "" : reloaded.error());
      });
    });
    return outcome.get();
  }
  std::vector<std::string> status() {
    return look([](Manager& manager) { return manager.status(); });
  }
  /// Until nothing of what was replaced is left.
  void wait_until_gone() {
    while (look([](Manager& manager) { return manager.retired_count(); }) > 0) {
      std::this_thread::yield();
    }
  }

  [[nodiscard]] RawResponse ask(const std::string& request) const {
    RawClient client = RawClient::tcp(port);
    client.send(request);
    return client.read_response();
  }
  /// The body.
  [[nodiscard]] std::string get(const std::string& path) const {
    return ask("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n").body;
  }
  [[nodiscard]] RawClient open_socket(const std::string& path) const {
    RawClient socket = RawClient::tcp(port);
    socket.send("GET " + path +
                " HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    EXPECT_NE(socket.read_until("\r\n\r\n").find("101"), std::string::npos);
    return socket;
  }

  [[nodiscard]] App& app() noexcept { return *app_; }
  [[nodiscard]] Manager& manager() noexcept { return *manager_; }

  std::uint16_t port = 0;
  std::string problem;  ///< of Manager::problem(), behind stop()

 private:
  /// Until each has been entered: what is posted runs behind that.
  void wait_for_loops() {
    for (const auto& worker : app_->server().workers()) {
      std::promise<void> entered;
      if (worker->loop().post([&entered] { entered.set_value(); })) entered.get_future().wait();
    }
  }
  void run(const Options& options, std::promise<std::uint16_t>& started) {
    EnvironmentOptions environment;
    environment.socket_options = options.socket_options;
    ManagerOptions chosen{options.plugins, needs(), {}};
    chosen.generations_max = options.generations_max;
    chosen.reread = [this](std::string_view name) { return wanted(name); };
    app_ = std::make_unique<App>(app_options());
    manager_ = std::make_unique<Manager>(*app_, std::move(chosen), std::move(environment));
    const auto loaded = manager_->load();
    EXPECT_TRUE(loaded) << loaded.error().text();
    app_->listen(0);
    const auto bound = app_->bind();
    EXPECT_TRUE(bound) << bound.error().text();
    const auto begun = manager_->start();
    EXPECT_TRUE(begun) << begun.error().text();
    const std::uint16_t its_port = app_->server().address().port();
    if (options.before_serve) options.before_serve(its_port);
    app_->loop().post([&started, its_port] { started.set_value(its_port); });
    EXPECT_TRUE(app_->serve());
    manager_->stop();
    problem = manager_->problem();
  }
  Expected<PluginOptions, std::string> wanted(std::string_view name) {
    const MutexLock lock(mutex_);
    const auto found = std::ranges::find(wanted_, name, &PluginOptions::name);
    if (found == wanted_.end()) return UnexpectedOf<std::string>("the file is gone");
    return *found;
  }

  std::unique_ptr<Manager> manager_;
  std::unique_ptr<App> app_;
  Mutex mutex_;
  std::vector<PluginOptions> wanted_ SSX_GUARDED_BY(mutex_);
  std::promise<void> may_end_;  ///< nobody calls app_ any more
  std::thread thread_;
};

}  // namespace ssx::plugins::test
