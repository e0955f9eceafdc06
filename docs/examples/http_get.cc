// Prints what a URL answers:  http_get URL
#include <fmt/format.h>

#include "http/client/client.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/net/spawn.h"

namespace {

ssx::Task<> show(ssx::http::Client& client, std::string url, bool& done) {
  const auto response = co_await client.get(std::move(url));
  if (!response) {
    fmt::print("{}\n", response.error().message());
  } else {
    fmt::print("{} {}", response->status(), response->body());
  }
  done = true;
}

}  // namespace

int main(int argc, char** argv) {
  auto loop = ssx::net::EventLoop::create();
  auto tasks = ssx::net::TaskPool::start({.threads = 1});
  if (argc != 2 || !loop || !tasks) return 1;
  const ssx::net::Resolver resolver(**tasks);
  ssx::net::Connections connections(**loop, {});
  ssx::http::Client client(connections, ssx::net::KernelStack::instance(), resolver);

  bool done = false;
  ssx::net::spawn(**loop, show(client, argv[1], done), &ssx::net::log_failure);
  (*loop)->run_until([&done] { return done; });
}
