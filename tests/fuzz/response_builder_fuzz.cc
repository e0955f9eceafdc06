// Whatever a handler answers, what leaves is exactly one response to llhttp in strict mode: the
// bytes choose the request, the status, the fields and the body, and a whole session answers.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/router.h"
#include "http/service.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/event_loop.h"
#include "tests/fuzz/fuzz.h"
#include "tests/http/llhttp_door.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_net.h"

namespace {

using namespace ssx;
using namespace ssx::http;

/// Takes decisions from the bytes; zeros when they are used up.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : rest_(bytes) {}
  unsigned number(unsigned below) {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return byte % below;
  }
  std::string_view text() {
    const std::size_t size = std::min<std::size_t>(number(64), rest_.size());
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

 private:
  std::string_view rest_;
};

struct Piece {
  std::string text;
  bool is_trailer = false;
  std::string name;
};

/// What the session shall be made to do, in the order in which the bytes say it.
struct Plan {
  explicit Plan(std::string_view bytes) : choices(bytes) {
    static constexpr const char* kMethods[] = {"GET", "HEAD", "POST", "OPTIONS"};
    method = kMethods[choices.number(4)];
    version = choices.number(2) == 0 ? "HTTP/1.1" : "HTTP/1.0";
    static constexpr const char* kConnections[] = {"", "Connection: close\r\n",
                                                   "Connection: keep-alive\r\n"};
    connection = kConnections[choices.number(3)];
  }
  [[nodiscard]] std::string request() const {
    return method + " / " + version + "\r\nHost: a\r\n" + connection + "\r\n";
  }

  Choices choices;
  std::string method, version, connection;
  bool breaks_promise = false;  ///< the body is shorter than it was said to be
};

Task<> write_pieces(BodyWriter& body, std::vector<Piece> pieces) {
  for (const Piece& piece : pieces) {
    if (piece.is_trailer) {
      static_cast<void>(body.trailer(piece.name, piece.text));
    } else if (!co_await body.write(piece.text)) {
      co_return;
    }
  }
}

Response make_stream(Plan& plan) {
  std::vector<Piece> pieces(plan.choices.number(6));
  std::uint64_t size = 0;
  for (Piece& piece : pieces) {
    piece.is_trailer = plan.choices.number(4) == 0;
    if (piece.is_trailer) piece.name = plan.choices.text();
    piece.text = plan.choices.text();
    if (!piece.is_trailer) size += piece.text.size();
  }
  auto make = [pieces = std::move(pieces)](BodyWriter& body) { return write_pieces(body, pieces); };
  if (plan.choices.number(2) == 0) return Response::stream(std::move(make));
  const std::uint64_t promised = size + plan.choices.number(3);
  plan.breaks_promise = promised > size;
  return Response::stream(promised, std::move(make));
}

Response make_content(Plan& plan) {
  static const std::string kLong(100'000, 'x');
  switch (plan.choices.number(7)) {
    case 0:
      return Status::kOk;
    case 1:
      return Response::text(std::string(plan.choices.text()));
    case 2:
      return Response::html(std::string(plan.choices.text()));
    case 3:
      return Response::permanent(kLong);
    case 4:
      return Response::redirect(plan.choices.text());
    case 5:
      return Response::text(std::string(kLong, 0, plan.choices.number(256) * 256));
    default:
      return make_stream(plan);
  }
}

Response make_response(Plan& plan) {
  Response response = make_content(plan);
  for (unsigned left = plan.choices.number(5); left > 0; --left) {
    const std::string_view name = plan.choices.text();
    response.set(name, plan.choices.text());
  }
  static constexpr std::string_view kNames[] = {"Content-Type",      "Set-Cookie", "Content-Length",
                                                "Transfer-Encoding", "Connection", "Date"};
  if (plan.choices.number(4) == 1)
    response.set(kNames[plan.choices.number(6)], plan.choices.text());
  if (plan.choices.number(8) == 1) response.content_type("");
  if (plan.choices.number(8) == 1) response.close_connection();
  if (plan.choices.number(2) == 1) {
    response.status(static_cast<Status>(plan.choices.number(8) * 100 + plan.choices.number(100)));
  }
  return response;
}

/// A server with one route, whose answers the current plan decides.
class Server {
 public:
  Server() {
    Router router;
    const HttpOptions options;
    const auto handler = [this](const Request&) { return make_response(*plan_); };
    SSX_ASSERT(router.add("", {}, "/", {make_handler(handler), RouteLimits::from(options), "/"}));
    service_ = std::make_unique<Service>(std::move(router), options, 1);
  }

  void answer(Plan& plan) {
    plan_ = &plan;
    auto [accepted, peer] = wire_.pair();
    connections_.adopt(std::move(accepted), service_->make_session(0));
    peer.send(plan.request());
    loop_->run_until_idle();
    check(plan, peer);
    peer.close();
    loop_->run_until_idle();
    clock_.advance(std::chrono::minutes(1));  // whatever lingers
    loop_->run_until_idle();
    SSX_ASSERT(connections_.empty());
  }

 private:
  static void check(const Plan& plan, const ssx::test::MemoryPeer& peer) {
    const std::string& said = peer.received();
    const http::test::Opinion theirs =
        http::test::llhttp_response_opinion(said, plan.method == "HEAD");
    SSX_ASSERT(theirs.state != http::test::Opinion::State::kRefusedHead, theirs.reason, said);
    SSX_ASSERT(theirs.state != http::test::Opinion::State::kRefusedBody, theirs.reason, said);
    if (plan.breaks_promise && peer.saw_reset()) {  // as much as had left by then
      SSX_ASSERT(theirs.state != http::test::Opinion::State::kDone, said);
      return;
    }
    SSX_ASSERT(theirs.head_accepted(), said);
    if (theirs.state == http::test::Opinion::State::kDone) {
      SSX_ASSERT(theirs.message_size == said.size(), theirs.message_size, said);
      return;
    }
    // Only one that ends with the connection is never complete to a parser.
    SSX_ASSERT(!theirs.chunked && !theirs.content_length && peer.saw_end(), said);
  }

  Plan* plan_ = nullptr;
  ssx::test::MemoryNet wire_;
  ssx::test::ManualClock clock_;
  std::unique_ptr<net::EventLoop> loop_ = *net::EventLoop::create({}, clock_, wire_.make_poller());
  std::unique_ptr<Service> service_;
  net::Connections connections_{*loop_, {}};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Server server;
  Plan plan(ssx::fuzz::text(data, size));
  server.answer(plan);
  return 0;
}
