// A request and the making of its answer. The worker has one that requests are read into and
// answered from, one after the other; a session takes it only when something has to wait: for the
// rest of the request, for a coroutine, for a body that is made while it is sent. (i)
//
// Thread: loop-only
// Owner:  WorkerState; a Session while it waits
// Life:   from the first byte of a head to the last of the answer, then it is used again
// Bounds: ParserLimits; those of BodyReceiver, BodyStream and BodyWriter
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/access_log.h"
#include "http/body.h"
#include "http/body_receiver.h"
#include "http/body_stream.h"
#include "http/body_writer.h"
#include "http/head.h"
#include "http/held_routes.h"
#include "http/params.h"
#include "http/request.h"
#include "http/request_parser.h"
#include "http/response.h"
#include "http/rewritten_target.h"
#include "http/router.h"
#include "ssxrver/coro/continuation.h"
#include "ssxrver/coro/task.h"

namespace ssx::http {

class Service;
class Session;

class Exchange {
 public:
  /// `spare_memory`: that of the worker; null: what is kept is kept.
  explicit Exchange(Service& service, SpareMemory* spare_memory = nullptr);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() { clear(); }

  /// Ready for another request; what still runs for this one is cancelled. Short memory is kept.
  void clear() noexcept;
  /// The same after a request that was answered in one go.
  void clear_request() noexcept {
    request.reset();
    body = {};
    if (!receiver.is_complete()) receiver.clear();
  }

  /// The head is complete: what a handler sees. `path` is normalised.
  void set_path(std::string_view normalised) noexcept { path_ = normalised; }
  [[nodiscard]] std::string_view path() const noexcept { return path_; }
  const Request& make_request(const net::SocketAddress& peer, std::uint32_t worker,
                              std::string_view route, Counters& counters);
  /// Before make_request(): Request::allowed().
  void set_allowed(MethodSet methods) noexcept { allowed_ = methods; }

  /// While the match is a route that rewrites: the next one, of the target that it makes. What
  /// RewrittenTarget::set() may say.
  [[nodiscard]] Errc follow_rewrites(const Router& router, Router::Match& match);

  /// The route that it waits with, which is of this table unless it has waited with it before.
  void set_route(const Route& of, const LocalRef<HeldRoutes>& table) noexcept {
    if (route == nullptr) routes_ = table;
    route = &of;
  }

  /// From here on nothing of the request lies in the receive area, whose bytes of the head are
  /// `head_bytes`. Once is enough.
  void keep(std::string_view head_bytes, TimePoint now);
  [[nodiscard]] bool is_kept() const noexcept { return kept_; }

  /// The head is not complete, and what there is of it may have moved since it was parsed.
  void forget_head() noexcept {
    head.forget_bytes();
    path_ = {};
  }

  /// Of the head and the body, as far as they have been read.
  [[nodiscard]] std::uint64_t received_bytes() const noexcept {
    return head.size + (receiver.received() > 0 ? receiver.received() : body.size);
  }

  /// Ends the coroutines where they wait.
  void cancel() noexcept;

  RequestParser parser;
  Head head;
  net::SocketAddress client;  ///< who asks (RequestGuard); of no family: the peer
  Params params;
  BodyReceiver receiver;
  Body body;
  std::optional<Request> request;

  /// Tells the session that a coroutine has ended.
  class Done final : public Continuation {
   public:
    using Tell = void (Session::*)(net::Connection&);
    Done() noexcept : Continuation(&call) {}
    void set(Session& session, net::Connection& connection, Tell tell) noexcept {
      session_ = &session;
      connection_ = &connection;
      tell_ = tell;
    }

   private:
    static void call(Continuation& self) noexcept {
      auto& done = static_cast<Done&>(self);
      (done.session_->*done.tell_)(*done.connection_);
    }
    Session* session_ = nullptr;
    net::Connection* connection_ = nullptr;
    Tell tell_ = nullptr;
  };

  /// When the first byte came; max: in this turn.
  TimePoint began = TimePoint::max();

  // While a coroutine makes the answer, or its body.
  const Route* route = nullptr;  ///< set_route()
  bool more_came = false;        ///< bytes of a further request, when this one was dispatched
  bool keep_alive = false;       ///< of the answer whose body is being made
  AccessLog::Answer answer;      ///< its head, when the body is being made and there is a log
  BodyStream stream;
  BodyWriter writer;
  Response::BodyMaker maker;
  Task<Response> handler;
  Task<> sender;
  Done done;

 private:
  const HttpOptions& options_;
  SpareMemory* const spare_memory_;
  LocalRef<HeldRoutes> routes_;
  std::string head_bytes_;
  std::string path_bytes_;
  std::string_view path_;
  RewrittenTarget rewritten_;
  MethodSet allowed_ = 0;
  bool kept_ = false;
};

}  // namespace ssx::http
