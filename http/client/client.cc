#include "http/client/client.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "http/client/redirect.h"
#include "http/client/request_writer.h"
#include "http/method.h"

namespace ssx::http {
namespace {

// RFC 9110 9.2.2.
bool is_idempotent(std::string_view method) noexcept {
  const Method known = parse_method(method);
  return is_safe(known) || known == Method::kPut || known == Method::kDelete;
}

// What is asked for behind a redirect.
Result<ClientExchange::Asked> redirected(const ClientExchange& from) {
  const ClientExchange::Asked& before = from.asked();
  auto target = redirect_target(before.url, from.head());
  if (!target) return fail(target.error());
  ClientExchange::Asked asked = before;
  asked.url = *std::move(target);
  asked.method = redirect_method(from.head().status, before.method);
  if (asked.method != before.method) {
    asked.body = RequestBody();
    asked.expect_continue = false;
    drop_content_fields(asked.fields);
  }
  if (asked.body.is_streamed() && !from.body_is_untouched()) {
    return fail(Errc::kBodyNotRepeatable, "redirect");
  }
  if (asked.url.origin() != before.url.origin()) drop_credentials(asked.fields);
  return asked;
}

std::string name_of(const ClientExchange::Asked& asked) {
  return asked.method + ' ' + asked.url.text();
}

}  // namespace

Client::Client(net::Connections& connections, net::NetStack& stack, const net::Resolver& resolver,
               ClientOptions options)
    : pool_(new ConnectionPool(connections, stack, resolver, std::move(options))) {}

Client::~Client() { pool_->close(); }

Task<Result<ClientResponse>> Client::get(std::string url) {
  ClientRequest request;
  request.url = std::move(url);
  co_return co_await fetch(std::move(request));
}

Task<Result<ClientResponse>> Client::post(std::string url, std::string body,
                                          std::string content_type) {
  ClientRequest request;
  request.method = "POST";
  request.url = std::move(url);
  request.body = std::move(body);
  request.fields.push_back({.name = "Content-Type", .value = std::move(content_type)});
  co_return co_await fetch(std::move(request));
}

Task<Result<ClientResponse>> Client::fetch(ClientRequest request) {
  auto response = co_await open(std::move(request));
  if (!response) co_return response;
  const Result<void> whole = co_await response->read_all();
  if (!whole) co_return fail(whole.error());
  co_return response;
}

Task<Result<ClientResponse>> Client::open(ClientRequest request) {
  const LocalRef<ConnectionPool> pool = pool_;
  pool->counters().requests.add();
  const Duration total = request.total.value_or(options().timeouts.total);
  const TimePoint until = total == Duration::zero() ? TimePoint::max() : pool->loop().now() + total;
  const std::uint64_t body_max = request.body_max.value_or(options().body_max);
  auto exchange = co_await follow(std::move(request), until);
  if (!exchange) {
    pool->count_failure(exchange.error());
    co_return fail(exchange.error());
  }
  co_return ClientResponse(*std::move(exchange), body_max);
}

Task<Result<Client::Exchange>> Client::follow(ClientRequest request, TimePoint until) {
  if (const Errc code = check_request(request.method, request.fields); code != Errc::kOk) {
    co_return fail(code, "request");
  }
  auto url = Url::parse(request.url);
  if (!url) co_return fail(url.error());
  ClientExchange::Asked asked{.url = *std::move(url),
                              .method = std::move(request.method),
                              .fields = std::move(request.fields),
                              .body = std::move(request.body),
                              .expect_continue = request.expect_continue,
                              .to_proxy = !options().proxy.host.empty()};
  const std::size_t most = request.redirects_max.value_or(options().redirects_max);
  std::vector<std::string> seen;
  for (;;) {
    seen.push_back(name_of(asked));
    auto exchange = co_await ask(asked, until);
    if (!exchange || most == 0 || !is_redirect((*exchange)->head())) co_return exchange;
    if (seen.size() > most) co_return fail(Errc::kTooManyRedirects, "redirect");
    auto next = redirected(**exchange);
    if (!next) co_return fail(next.error());
    if (std::ranges::find(seen, name_of(*next)) != seen.end()) {
      co_return fail(Errc::kRedirectLoop, "redirect");
    }
    pool_->counters().redirected.add();
    co_await (*exchange)->discard(options().redirect_body_max);
    asked = *std::move(next);
  }
}

// Once more for each of two reasons: a kept connection was dead, the server knows no Expect.
Task<Result<Client::Exchange>> Client::ask(ClientExchange::Asked asked, TimePoint until) {
  if (asked.url.is_secure()) co_return fail(Errc::kTlsNotBuilt, "request");
  auto want = ConnectionPool::Want::kAny;
  for (;;) {
    const auto want_before = want;
    auto exchange = co_await try_once(asked, until, want);
    if (!exchange) {
      if (want == want_before) co_return exchange;
      pool_->counters().retried.add();
      continue;
    }
    // RFC 9110 10.1.1: repeated without the expectation.
    if ((*exchange)->head().status != 417 || !asked.expect_continue ||
        !(*exchange)->body_is_untouched()) {
      co_return exchange;
    }
    asked.expect_continue = false;
    co_await (*exchange)->discard(options().redirect_body_max);
  }
}

// `want` becomes kNew when the same may be asked again on a new connection (RFC 9112 9.3.1).
Task<Result<Client::Exchange>> Client::try_once(ClientExchange::Asked asked, TimePoint until,
                                                ConnectionPool::Want& want) {
  const ProxyOptions& proxy = options().proxy;
  const bool direct = !asked.to_proxy;
  std::string host = direct ? std::string(asked.url.host()) : proxy.host;
  const std::uint16_t port = direct ? asked.url.port() : proxy.port;
  const TimePoint now = pool_->loop().now();
  const TimePoint connected_by = std::min(until, now + options().timeouts.connect);
  auto lease = co_await pool_->acquire(std::move(host), port, want, connected_by);
  if (!lease) {
    const bool late = lease.error() == make_error_code(Errc::kConnectTimedOut);
    if (late && pool_->loop().now() >= until) co_return fail(Errc::kExchangeTimedOut, "connect");
    co_return fail(lease.error());
  }
  const bool reused = lease->is_reused();
  auto exchange = std::make_unique<ClientExchange>(pool_, std::move(asked), until);
  const Result<void> performed = co_await exchange->perform(*std::move(lease));
  if (performed) co_return exchange;
  const bool repeatable = !exchange->asked().body.is_streamed() || exchange->body_is_untouched();
  if (reused && exchange->ended_silently() && repeatable &&
      is_idempotent(exchange->asked().method)) {
    want = ConnectionPool::Want::kNew;
  }
  co_return fail(performed.error());
}

}  // namespace ssx::http
