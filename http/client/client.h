// An HTTP/1.1 client for coroutines on a loop.
//
//   http::Client client(connections, net::KernelStack::instance(), resolver);
//   auto response = co_await client.get("http://a.example/");
//   if (response && response->is_success()) use(response->body());
//
// Thread: loop-only (the loop of its Connections): one client per loop
// Owner:  whoever asks: a handler's worker, a test, a program
// Life:   outlives its Tasks. Destroying a Task cancels it: the connection it uses ends, and a
//         place in a line is given up
// Bounds: ClientOptions, all of them
//
// It follows redirects, keeps connections, repeats an idempotent request once when a kept
// connection turns out to be dead before a byte has come, and passes every 1xx over. https is not
// in this build (kTlsNotBuilt); the tunnel through a proxy (CONNECT) belongs to it.
#pragma once

#include <memory>
#include <string>

#include "http/client/client_request.h"
#include "http/client/client_response.h"
#include "http/client/connection_pool.h"
#include "http/client/counters.h"
#include "http/client/options.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/net_stack.h"
#include "ssxrver/net/resolver.h"

namespace ssx::http {

class Client {
 public:
  /// All of them must outlive the client and its responses.
  Client(net::Connections& connections, net::NetStack& stack, const net::Resolver& resolver,
         ClientOptions options = {});
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  /// Ends the connections that rest.
  ~Client();

  /// The response with its whole body.
  [[nodiscard]] Task<Result<ClientResponse>> get(std::string url);
  [[nodiscard]] Task<Result<ClientResponse>> post(std::string url, std::string body,
                                                  std::string content_type);
  [[nodiscard]] Task<Result<ClientResponse>> fetch(ClientRequest request);
  /// The response as soon as its head is there: read() the body.
  [[nodiscard]] Task<Result<ClientResponse>> open(ClientRequest request);

  [[nodiscard]] const ClientOptions& options() const noexcept { return pool_->options(); }
  [[nodiscard]] const ClientCounters& counters() const noexcept { return pool_->counters(); }
  /// Connections that wait for the next request.
  [[nodiscard]] std::size_t idle_connections() const noexcept { return pool_->idle(); }

 private:
  using Exchange = std::unique_ptr<ClientExchange>;

  Task<Result<Exchange>> follow(ClientRequest request, TimePoint until);
  Task<Result<Exchange>> ask(ClientExchange::Asked asked, TimePoint until);
  Task<Result<Exchange>> try_once(ClientExchange::Asked asked, TimePoint until,
                                  ConnectionPool::Want& want);

  const LocalRef<ConnectionPool> pool_;
};

}  // namespace ssx::http
