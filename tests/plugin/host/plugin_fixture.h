// A plugin written straight against the border, in this process, and a server that has it.
//
//   plugin.on_create = [this](ssxrver_error*) { return plugin.route("GET", "/a", ...); };
//   serve();
//   EXPECT_EQ(ask("/fake/a").status, 200);
//
// The test's own functions are the plugin's; what they throw crosses the border, which a real
// plugin must not let happen.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ssxrver/app/app.h"
#include "ssxrver/base/mutex.h"
#include "ssxrver/db/databases.h"
#include "ssxrver/metrics/registry.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/tcp_server.h"
#include "ssxrver/net/worker.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/environment.h"
#include "ssxrver/plugin/host/instance.h"
#include "tests/support/raw_client.h"

namespace ssx::plugins::test {

using ssx::test::RawClient;
using ssx::test::RawResponse;

constexpr ssxrver_text text(std::string_view view) { return {view.data(), view.size()}; }
inline std::string str(ssxrver_text given) {
  return given.size == 0 ? std::string() : std::string(given.data, given.size);
}

/// The plugin of the running test: one at a time.
class FakePlugin {
 public:
  FakePlugin() { current() = this; }
  ~FakePlugin() { current() = nullptr; }
  FakePlugin(const FakePlugin&) = delete;
  FakePlugin& operator=(const FakePlugin&) = delete;

  static FakePlugin*& current() {
    static FakePlugin* only = nullptr;
    return only;
  }

  std::function<std::int32_t(ssxrver_error*)> on_create = [](ssxrver_error*) { return SSXRVER_OK; };
  /// Of every other step that gives a status.
  std::function<std::int32_t(const std::string& step, ssxrver_error*)> on_step =
      [](const std::string&, ssxrver_error*) { return SSXRVER_OK; };
  ssxrver_plugin_entry entry = make_entry();
  ssxrver_plugin_desc desc = make_desc();
  const ssxrver_host* host = nullptr;

  [[nodiscard]] const ssxrver_http& http() const {
    return *static_cast<const ssxrver_http*>(get("ssxrver.http"));
  }
  [[nodiscard]] const ssxrver_loops& loops() const {
    return *static_cast<const ssxrver_loops*>(get("ssxrver.loop"));
  }
  [[nodiscard]] const ssxrver_db& db() const {
    return *static_cast<const ssxrver_db*>(get("ssxrver.db"));
  }
  [[nodiscard]] const ssxrver_websocket& websocket() const {
    return *static_cast<const ssxrver_websocket*>(get("ssxrver.websocket"));
  }
  [[nodiscard]] const void* get(const char* name) const {
    return host->get_interface(host->context, name, 1);
  }
  [[nodiscard]] ssxrver_context* context() const { return host->context; }

  using Handle =
      std::function<std::int32_t(const ssxrver_request*, ssxrver_exchange*, ssxrver_operation*)>;
  /// In on_create.
  std::int32_t route(std::string_view methods, std::string_view pattern, Handle handle,
                     std::uint32_t flags = 0, const ssxrver_route_settings* settings = nullptr,
                     ssxrver_error* error = nullptr) {
    ssxrver_handler handler{};
    handler.size = sizeof(handler);
    handler.flags = flags;
    handler.state = std::make_unique<Handle>(std::move(handle)).release();
    handler.handle = [](void* state, const ssxrver_request* request, ssxrver_exchange* exchange,
                        ssxrver_operation* started) {
      return (*static_cast<Handle*>(state))(request, exchange, started);
    };
    handler.release = [](void* state) {
      delete static_cast<Handle*>(state);
      ++current()->released;
    };
    return http().route(context(), text(methods), text(pattern), &handler, settings, error);
  }

  /// 200 and a text that is copied.
  void answer(ssxrver_exchange* exchange, std::string_view body) const {
    ssxrver_response response{};
    response.size = sizeof(response);
    response.status = 200;
    response.body_kind = SSXRVER_BODY_COPY;
    response.body = text(body);
    http().answer(exchange, &response);
  }

  /// loops().sleep(): time is all that it waits for.
  std::int32_t nap_of(ssxrver_context* whose, std::int64_t time_ns, ssxrver_waiter waiter,
                      ssxrver_wait** wait) const {
    const auto begin = loops().sleep;
    return begin(whose, time_ns, waiter, wait);
  }
  std::int32_t nap(std::int64_t time_ns, ssxrver_waiter waiter, ssxrver_wait** wait) const {
    return nap_of(context(), time_ns, waiter, wait);
  }

  void note(std::string what) {
    const MutexLock lock(mutex_);
    notes_.push_back(std::move(what));
  }
  [[nodiscard]] std::vector<std::string> notes() {
    const MutexLock lock(mutex_);
    return notes_;
  }

  // For tests to count in.
  std::atomic<int> released = 0;
  std::atomic<int> cancelled = 0;
  std::atomic<int> begun = 0;

 private:
  static std::int32_t step(const std::string& name, ssxrver_error* error) {
    current()->note(name);
    return current()->on_step(name, error);
  }
  static ssxrver_plugin_entry make_entry() {
    ssxrver_plugin_entry made{};
    made.size = sizeof(made);
    made.create = [](const ssxrver_host* given, void** instance, ssxrver_error* error) {
      current()->note("create");
      current()->host = given;
      *instance = current();
      return current()->on_create(error);
    };
    made.start = [](void*, ssxrver_error* error) { return step("start", error); };
    made.loop_enter = [](void*, ssxrver_loop* loop, std::uint32_t worker, ssxrver_error* error) {
      EXPECT_EQ(loop, current()->loops().current(current()->context()));
      return step("enter " + std::to_string(worker), error);
    };
    made.loop_leave = [](void*, ssxrver_loop*, std::uint32_t worker) {
      (void)step("leave " + std::to_string(worker), nullptr);
    };
    made.config_prepare = [](void*, ssxrver_text config, ssxrver_error* error) {
      return step("prepare " + str(config), error);
    };
    made.config_commit = [](void*) { (void)step("commit", nullptr); };
    made.config_abort = [](void*) { (void)step("abort", nullptr); };
    made.drain = [](void*, std::int64_t) { (void)step("drain", nullptr); };
    made.export_state = [](void*, std::uint32_t* version, void (*take)(void*, ssxrver_text),
                           void* to) {
      *version = 3;
      take(to, text("the state"));
      return step("export", nullptr);
    };
    made.import_state = [](void*, std::uint32_t version, ssxrver_text state, ssxrver_error* error) {
      return step("import " + std::to_string(version) + " " + str(state), error);
    };
    made.stop = [](void*) { (void)step("stop", nullptr); };
    made.destroy = [](void*) { (void)step("destroy", nullptr); };
    return made;
  }
  ssxrver_plugin_desc make_desc() {
    ssxrver_plugin_desc made{};
    made.magic = SSXRVER_PLUGIN_MAGIC;
    made.size = sizeof(made);
    made.abi_major = SSXRVER_ABI_MAJOR;
    made.abi_minor = SSXRVER_ABI_MINOR;
    made.name = "fake";
    made.version = "1";
    made.required = "ssxrver.http ssxrver.loop";
    made.state_version_min = 2;
    made.state_version_max = 3;
    made.entry = &entry;
    return made;
  }

  Mutex mutex_;
  std::vector<std::string> notes_;
};

class PluginTest : public testing::Test {
 protected:
  static std::unique_ptr<App> make_app() {
    auto made = std::make_unique<App>();
    made->workers(2);
    return made;
  }
  explicit PluginTest(db::Databases* databases = nullptr)
      : environment(*app, {.registry = &registry, .databases = databases}) {}
  ~PluginTest() override { end(); }

  Outcome<std::unique_ptr<Instance>> make(json::Value config = json::Object()) {
    return Instance::create(
        environment,
        {.name = "fake", .mount = "/fake", .config = std::move(config), .desc = &plugin.desc});
  }

  /// Makes the instance, and a server with its routes.
  void serve() {
    auto made = make();
    ASSERT_TRUE(made) << made.error();
    instance = *std::move(made);
    for (InstanceRoute& route : instance->take_routes()) {
      app->route(std::move(route.methods), route.pattern, std::move(route.handler),
                 std::move(route.settings));
    }
    app->listen(0);
    std::latch entered(app->worker_count());
    app->on_worker_start([this, &entered](net::Worker& worker) {
      EXPECT_TRUE(instance->enter_loop(worker.index()));
      entered.count_down();
    });
    ASSERT_TRUE(instance->start());
    std::promise<void> bound;
    thread = std::thread([this, &bound] {
      const auto ready = app->bind();
      ASSERT_TRUE(ready) << ready.error().text();
      environment.open();
      port = app->server().address().port();
      app->loop().post([&bound] { bound.set_value(); });
      EXPECT_TRUE(app->serve());
    });
    bound.get_future().wait();
    entered.wait();
  }

  void stop_server() {
    if (!thread.joinable()) return;
    app->stop();
    thread.join();
  }
  /// Ends the server. Nothing may hold the plugin then.
  void end() {
    stop_server();
    app.reset();
    if (instance == nullptr) return;
    EXPECT_EQ(instance->leases().to_string(), "");
    instance.reset();
  }

  /// Calls it on the loop of a worker, and waits for it.
  void on_loop(const std::function<void()>& function, std::uint32_t worker = 0) {
    std::promise<void> done;
    environment.loop(worker)->loop->post([&function, &done] {
      function();
      done.set_value();
    });
    done.get_future().wait();
  }
  /// At most ten seconds.
  static bool wait_until(const std::function<bool()>& done) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!done()) {
      if (std::chrono::steady_clock::now() > give_up) return false;
      std::this_thread::yield();
    }
    return true;
  }
  /// What holds the plugin, beside its routes.
  [[nodiscard]] std::uint64_t held() const {
    return instance->leases().total() - instance->leases().count(LeaseKind::kRoutes);
  }
  [[nodiscard]] std::uint64_t count(metrics::Counter Counters::*counter) const {
    return instance->counters().sum(counter);
  }

  RawClient connect() const { return RawClient::tcp(port); }
  static std::string request(std::string_view method, std::string_view target,
                             std::string_view lines = "", std::string_view body = "") {
    std::string all(method);
    all.append(" ").append(target).append(" HTTP/1.1\r\nHost: a.example\r\n").append(lines);
    return all.append("\r\n").append(body);
  }
  RawResponse ask(std::string_view target, std::string_view lines = "") const {
    RawClient client = connect();
    client.send(request("GET", target, lines));
    return client.read_response();
  }

  FakePlugin plugin;
  metrics::Registry registry;
  std::unique_ptr<App> app = make_app();
  Environment environment;
  std::unique_ptr<Instance> instance;
  std::thread thread;
  std::uint16_t port = 0;
};

}  // namespace ssx::plugins::test
