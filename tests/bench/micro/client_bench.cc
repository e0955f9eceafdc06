// What requests of http::Client cost: against a server of ours on another thread, over the
// loopback, with kept connections. "cpu" is the client's thread alone.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "http/client/client.h"
#include "ssxrver/app/app.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/net/spawn.h"

namespace {

using namespace ssx;  // NOLINT(google-build-using-namespace): a program of its own

Task<> ask(http::Client& client, std::string url, int count, int& left, int& failed) {
  for (int i = 0; i < count; ++i) {
    const auto response = co_await client.get(url);
    failed += response && response->status() == 200 ? 0 : 1;
  }
  --left;
}

void get(benchmark::State& state) {
  App app;
  app.workers(1).get("/hello", [](const http::Request&) { return "Hello, world!\n"; });
  const auto address = app.listen(0).start();
  if (!address) return state.SkipWithError("no server");
  const std::string url = "http://127.0.0.1:" + std::to_string(address->port()) + "/hello";

  const auto tasks = *net::TaskPool::start({});
  const net::Resolver resolver(*tasks);
  const auto loop = *net::EventLoop::create();
  net::Connections connections(*loop, {});
  http::ClientOptions options;
  options.connections_per_host = options.idle_per_host = 64;
  auto client =
      std::make_unique<http::Client>(connections, net::KernelStack::instance(), resolver, options);
  constexpr int kEach = 100;
  const auto parallel = static_cast<int>(state.range(0));
  int failed = 0;
  for (auto _ : state) {
    int left = parallel;
    for (int i = 0; i < parallel; ++i) {
      net::spawn(*loop, ask(*client, url, kEach, left, failed), &net::log_failure);
    }
    loop->run_until([&left] { return left == 0; });
  }
  if (failed != 0) state.SkipWithError("requests failed");
  state.SetItemsProcessed(state.iterations() * parallel * kEach);
  client.reset();
  loop->stop();
  loop->run();
  app.stop();
  app.wait();
}
BENCHMARK(get)->Name("Client/100_requests_of_each_of")->Arg(1)->Arg(16)->Arg(64)->UseRealTime();

}  // namespace
