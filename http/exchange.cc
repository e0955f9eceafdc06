#include "http/exchange.h"

#include <algorithm>

#include "http/service.h"

namespace ssx::http {
namespace {

constexpr std::size_t kKeepCapacity = 32 << 10;

void reset(std::string& text) noexcept {
  text.clear();
  if (text.capacity() > kKeepCapacity) std::string().swap(text);
}

}  // namespace

Exchange::Exchange(Service& service, SpareMemory* spare_memory)
    : parser(service.options().parser),
      receiver(service),
      options_(service.options()),
      spare_memory_(spare_memory) {}

void Exchange::clear() noexcept {
  cancel();
  request.reset();
  stream.clear();
  writer.clear();
  receiver.clear();
  parser.reset();
  body = {};
  route = nullptr;
  more_came = keep_alive = kept_ = false;
  began = TimePoint::max();
  answer.clear();
  reset(head_bytes_);
  reset(path_bytes_);
  rewritten_.shrink(kKeepCapacity);
  path_ = {};
  routes_ = {};  // the last: nothing here looks at the route any more
}

void Exchange::cancel() noexcept {
  sender.reset();
  maker.reset();
  handler.reset();
}

const Request& Exchange::make_request(const net::SocketAddress& peer, std::uint32_t worker,
                                      std::string_view name, Counters& counters) {
  request.emplace(head, path_, params, body, peer, worker);
  if (client.family() != net::SocketAddress::Family::kNone) request->client_ = &client;
  request->route_ = name;
  request->counters_ = &counters;
  request->spare_memory_ = spare_memory_;
  request->options_ = &options_;
  request->allowed_ = allowed_;
  return *request;
}

Errc Exchange::follow_rewrites(const Router& router, Router::Match& match) {
  for (unsigned count = 0; count < Route::kRewritesMax; ++count) {
    if (match.route == nullptr || match.route->rewrite == nullptr) break;
    const Errc error = rewritten_.set(*match.route->rewrite, params, head.query, options_.parser);
    if (error != Errc::kOk) return error;
    head.query = rewritten_.query();
    path_ = rewritten_.path();
    match = router.match(head.host, head.method, path_, params);
  }
  return Errc::kOk;
}

void Exchange::keep(std::string_view head_bytes, TimePoint now) {
  if (kept_) return;
  kept_ = true;
  began = std::min(began, now);
  head_bytes_.assign(head_bytes);
  head.rebase(head_bytes_.data());
  path_bytes_.assign(path_);
  params.rebase(path_.data(), path_bytes_.data());
  path_ = path_bytes_;
  if (!body.text.empty() && receiver.received() == 0) body.text = receiver.keep(body.text);
  if (request) request->path_ = path_;
}

}  // namespace ssx::http
