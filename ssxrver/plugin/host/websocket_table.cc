// The interface "ssxrver.websocket".
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <typeinfo>

#include "http/route_pattern.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/tcp_server.h"
#include "ssxrver/net/worker.h"
#include "ssxrver/plugin/host/socket_route.h"
#include "ssxrver/plugin/host/tables.h"
#include "websocket/upgrade_handler.h"

namespace ssx::plugins {
namespace {

using websocket::CloseCode;
using websocket::Opcode;
using websocket::PreparedMessage;
using websocket::WebSocketBase;

Instance& instance_of(ssxrver_context* context) noexcept {
  return *static_cast<Instance*>(context);
}

// ---- routes

http::Handler make_handler(Instance& instance, const std::shared_ptr<const SocketRoute>& route,
                           WebSocketRouteOptions options) {
  if (!options.enabled)
    return http::Handler([](const http::Request&) { return http::Status::kNotFound; });
  return websocket::make_handler(instance.environment().app().websockets(), route->name(),
                                 SocketRoute::make_handlers(route, std::move(options.limits)));
}

std::int32_t add_route(Instance& instance, std::string_view pattern,
                       const ssxrver_socket_handler& given, std::string_view options,
                       ssxrver_error* error) {
  const std::string full = instance.mount() + std::string(pattern);
  const auto route = std::make_shared<const SocketRoute>(instance, full, given);
  const auto refuse = [error, &full](std::string_view why) {
    return say(error, SSXRVER_INVALID, fmt::format("WebSocket \"{}\": {}", full, why));
  };
  if (route->handler().upgrade == nullptr) return refuse("a handler without upgrade()");
  if (const auto good = http::RoutePattern::parse(full); !good)
    return refuse(good.error().message());
  auto read = instance.environment().socket_options(options);
  if (!read) return refuse(read.error());
  RouteSettings settings;
  settings.handler_timeout = read->limits.handshake_timeout;
  const auto added =
      instance.add_route({{http::Method::kGet}, full, std::move(settings), *std::move(read)},
                         [&instance, route](const NamedRoute& named) {
                           return make_handler(instance, route, *named.websocket);
                         });
  return added ? std::int32_t{SSXRVER_OK} : refuse(added.error());
}

std::int32_t route(ssxrver_context* context, ssxrver_text pattern,
                   const ssxrver_socket_handler* handler, ssxrver_text options,
                   ssxrver_error* error) noexcept {
  if (context == nullptr || handler == nullptr) return say(error, SSXRVER_INVALID, "no handler");
  return add_route(instance_of(context), to_view(pattern), *handler, to_view(options), error);
}

void accept(ssxrver_upgrade* upgrade, void* data) noexcept {
  upgrade->data = data;
  upgrade->is_accepted = true;
}

void set_field(ssxrver_upgrade* upgrade, ssxrver_text name, ssxrver_text value) noexcept {
  upgrade->fields.emplace_back(to_view(name), to_view(value));
}

// ---- sockets

std::int32_t to_border(websocket::Sent sent) noexcept { return static_cast<std::int32_t>(sent); }
static_assert(static_cast<int>(websocket::Sent::kOk) == SSXRVER_SENT_OK);
static_assert(static_cast<int>(websocket::Sent::kAbove) == SSXRVER_SENT_ABOVE);
static_assert(static_cast<int>(websocket::Sent::kDropped) == SSXRVER_SENT_DROPPED);
static_assert(static_cast<int>(websocket::Sent::kClosed) == SSXRVER_SENT_CLOSED);

Opcode to_opcode(std::uint32_t opcode) noexcept {
  return opcode == SSXRVER_OP_BINARY ? Opcode::kBinary : Opcode::kText;
}
websocket::Message to_message(std::uint32_t opcode, ssxrver_text payload) noexcept {
  return {to_view(payload), to_opcode(opcode)};
}

std::int32_t send(ssxrver_socket* socket, std::uint32_t opcode, ssxrver_text payload) noexcept {
  return to_border(socket_of(socket).send(to_message(opcode, payload)));
}
std::int32_t ping(ssxrver_socket* socket, ssxrver_text payload) noexcept {
  return to_border(socket_of(socket).ping(to_view(payload)));
}
void close(ssxrver_socket* socket, std::uint16_t code, ssxrver_text reason) noexcept {
  socket_of(socket).close(static_cast<CloseCode>(code), to_view(reason));
}
void reset(ssxrver_socket* socket) noexcept { socket_of(socket).reset(); }
std::uint8_t is_open(const ssxrver_socket* socket) noexcept {
  return socket_of(socket).is_open() ? 1 : 0;
}
std::uint64_t unsent_bytes(const ssxrver_socket* socket) noexcept {
  return socket_of(socket).unsent_bytes();
}
ssxrver_text subprotocol(const ssxrver_socket* socket) noexcept {
  return to_text(socket_of(socket).subprotocol());
}
std::size_t peer(const ssxrver_socket* socket, char* text, std::size_t capacity) noexcept {
  return write_text(socket_of(socket).peer().to_string(), text, capacity);
}
std::uint32_t worker(const ssxrver_socket* socket) noexcept { return socket_of(socket).worker(); }

std::uint8_t subscribe(ssxrver_socket* socket, ssxrver_text topic) noexcept {
  return socket_of(socket).subscribe(to_view(topic)) ? 1 : 0;
}
std::uint8_t unsubscribe(ssxrver_socket* socket, ssxrver_text topic) noexcept {
  return socket_of(socket).unsubscribe(to_view(topic)) ? 1 : 0;
}
std::uint8_t is_subscribed(const ssxrver_socket* socket, ssxrver_text topic) noexcept {
  return socket_of(socket).is_subscribed(to_view(topic)) ? 1 : 0;
}
void publish_others(ssxrver_socket* socket, ssxrver_text topic, std::uint32_t opcode,
                    ssxrver_text payload) noexcept {
  socket_of(socket).publish(to_view(topic), to_message(opcode, payload));
}

void message_end(ssxrver_socket* socket, std::int32_t status, ssxrver_text sentence) noexcept {
  PluginSocket& ended = socket_of(socket);
  const SocketRoute& route = ended->route();
  Pending* const handling = ended->handling;
  if (handling != nullptr && !handling->is_on_loop())
    return route.instance().misuse(route.name(), "a message ended on another thread");
  if (status != SSXRVER_OK) {
    const std::string_view said = to_view(sentence);
    route.fail(ended, said.empty() ? to_words(status) : said);
  }
  if (handling != nullptr) handling->end();
}

// ---- from any thread

void publish(ssxrver_context* context, ssxrver_text topic, std::uint32_t opcode,
             ssxrver_text payload) noexcept {
  Environment& environment = instance_of(context).environment();
  if (environment.loop(0) == nullptr) return;  // nobody can have subscribed
  environment.app().websockets().publish(to_view(topic),
                                         PreparedMessage::of(to_message(opcode, payload)));
}

ssxrver_socket_id id(const ssxrver_socket* socket) noexcept {
  const net::ConnectionId named = socket_of(socket).id();
  return {named.worker, (std::uint64_t{named.slot.slot} << 32) | named.slot.generation};
}

/// The socket that it names, when that is one of this instance.
PluginSocket* find_socket(const Instance& instance, net::Connection& connection) noexcept {
  net::Protocol& protocol = connection.protocol();
  if (typeid(protocol) != typeid(websocket::SessionOf<SocketData>)) return nullptr;
  auto& found = static_cast<PluginSocket&>(static_cast<websocket::Session&>(protocol).socket());
  return &found->route().instance() == &instance ? &found : nullptr;
}

/// Bounded as a WebSocketHandle is.
template <class F>
std::int32_t post_to(Instance& instance, ssxrver_socket_id id, std::size_t bytes, F function) {
  const auto worker = static_cast<std::uint32_t>(id.high);
  Environment& environment = instance.environment();
  if (id.high >= environment.worker_count()) return SSXRVER_INVALID;
  if (environment.loop(worker) == nullptr) return SSXRVER_UNAVAILABLE;
  const auto posted = environment.app().websockets().worker(worker).posted;
  const std::size_t taken = bytes + websocket::WorkerState::kPostedEach;
  if (!posted->try_take(taken)) return SSXRVER_LIMIT;
  const net::ConnectionId named{
      worker, {static_cast<std::uint32_t>(id.low >> 32), static_cast<std::uint32_t>(id.low)}};
  // Named by the slot of the loop, so that the budget is given back for a socket that has gone.
  const bool was_posted = environment.loop(worker)->loop->post(
      [&instance, named, posted, taken, lease = Lease(instance.leases(), LeaseKind::kPosts),
       function = std::move(function)]() mutable {
        posted->give_back(taken);
        net::Worker& home = *instance.environment().app().server().workers()[named.worker];
        net::Connection* const connection = home.connections().find(named.slot);
        PluginSocket* const socket =
            connection == nullptr ? nullptr : find_socket(instance, *connection);
        if (socket == nullptr || !socket->is_open())
          return instance.counters().add(&Counters::ids_stale);
        function(*socket);
      });
  if (was_posted) return SSXRVER_OK;
  posted->give_back(taken);
  return SSXRVER_CLOSED;
}

std::int32_t send_to(ssxrver_context* context, ssxrver_socket_id id, std::uint32_t opcode,
                     ssxrver_text payload) noexcept {
  const std::string_view bytes = to_view(payload);
  return post_to(instance_of(context), id, bytes.size(),
                 [opcode, kept = std::string(bytes)](PluginSocket& socket) {
                   socket.send(websocket::Message{kept, to_opcode(opcode)});
                 });
}

std::int32_t close_by_id(ssxrver_context* context, ssxrver_socket_id id, std::uint16_t code,
                         ssxrver_text reason) noexcept {
  return post_to(instance_of(context), id, 0,
                 [code, kept = std::string(to_view(reason))](PluginSocket& socket) {
                   socket.close(static_cast<CloseCode>(code), kept);
                 });
}

}  // namespace

const ssxrver_websocket kWebSocketTable = {.size = sizeof(ssxrver_websocket),
                                           .route = &route,
                                           .accept = &accept,
                                           .set_field = &set_field,
                                           .send = &send,
                                           .ping = &ping,
                                           .close = &close,
                                           .reset = &reset,
                                           .is_open = &is_open,
                                           .unsent_bytes = &unsent_bytes,
                                           .subprotocol = &subprotocol,
                                           .peer = &peer,
                                           .worker = &worker,
                                           .subscribe = &subscribe,
                                           .unsubscribe = &unsubscribe,
                                           .is_subscribed = &is_subscribed,
                                           .publish_others = &publish_others,
                                           .message_end = &message_end,
                                           .publish = &publish,
                                           .id = &id,
                                           .send_to = &send_to,
                                           .close_by_id = &close_by_id};

}  // namespace ssx::plugins
