// A loop of its own with a client on the real kernel, turned by the thread that has it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "http/client/client.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/net/resolver.h"
#include "ssxrver/net/spawn.h"

namespace ssx::http::test {

class ClientLoop {
 public:
  explicit ClientLoop(const net::Resolver& resolver, ClientOptions options = {})
      : client_(std::make_unique<Client>(table_, net::KernelStack::instance(), resolver,
                                         std::move(options))) {}
  ~ClientLoop() {
    client_.reset();
    loop_->stop();
    loop_->run();
  }

  [[nodiscard]] Client& client() noexcept { return *client_; }
  [[nodiscard]] net::EventLoop& loop() noexcept { return *loop_; }

  /// Runs it to its end.
  void run(Task<> task) {
    bool done = false;
    net::spawn(*loop_, finish(std::move(task), done), [&done](const std::exception_ptr& thrown) {
      done = true;
      ADD_FAILURE() << "a task threw";
      net::log_failure(thrown);
    });
    loop_->run_until([&done] { return done; });
  }
  /// The response with its whole body; a failed check when there is none.
  Result<ClientResponse> fetch(ClientRequest request) {
    std::optional<Result<ClientResponse>> answer;
    run(store(client_->fetch(std::move(request)), answer));
    return *std::move(answer);
  }
  Result<ClientResponse> get(std::string url) {
    ClientRequest request;
    request.url = std::move(url);
    return fetch(std::move(request));
  }

 private:
  static Task<> finish(Task<> task, bool& done) {
    co_await std::move(task);
    done = true;
  }
  static Task<> store(Task<Result<ClientResponse>> task,
                      std::optional<Result<ClientResponse>>& into) {
    into = co_await std::move(task);
  }

  std::unique_ptr<net::EventLoop> loop_ = *net::EventLoop::create();
  net::Connections table_{*loop_, {}};
  std::unique_ptr<Client> client_;
};

}  // namespace ssx::http::test
