// The WebSockets of one route of a plugin: its callbacks as those of websocket::Handlers.
//
// Thread: every worker at the same time
// Owner:  shared by the callbacks that are made of it
// Life:   until the last of them goes: then the plugin is told, once (release)
// Bounds: one lease of the instance (kRoutes), and one for each socket (kSockets)
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/handler.h"
#include "http/request.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/instance.h"
#include "ssxrver/plugin/host/leases.h"
#include "ssxrver/plugin/host/pending.h"
#include "websocket/handlers.h"

/// A handshake that a plugin looks at.
struct ssxrver_upgrade {
  void* data = nullptr;
  bool is_accepted = false;
  std::vector<std::pair<std::string, std::string>> fields;
};

namespace ssx::plugins {

class SocketRoute;

/// What a socket keeps for its plugin: released once, wherever it ends.
class SocketData {
 public:
  SocketData(std::shared_ptr<const SocketRoute> route, void* data);
  SocketData(SocketData&& other) noexcept = default;
  SocketData& operator=(SocketData&&) = delete;
  ~SocketData();

  [[nodiscard]] const SocketRoute& route() const noexcept { return *route_; }
  [[nodiscard]] void* data() const noexcept { return data_; }

  /// A message that the plugin is still busy with; null when there is none.
  Pending* handling = nullptr;
  /// That has failed: 1011 is on its way.
  bool has_failed = false;

 private:
  std::shared_ptr<const SocketRoute> route_;  ///< null once it was moved from
  Lease lease_;
  void* data_;
};

using PluginSocket = websocket::WebSocket<SocketData>;

class SocketRoute final : public std::enable_shared_from_this<SocketRoute> {
 public:
  /// `name`: "/notes/live", for the log.
  SocketRoute(Instance& instance, std::string name, const ssxrver_socket_handler& handler);
  ~SocketRoute();
  SocketRoute(const SocketRoute&) = delete;
  SocketRoute& operator=(const SocketRoute&) = delete;

  [[nodiscard]] static websocket::Handlers<SocketData> make_handlers(
      const std::shared_ptr<const SocketRoute>& route, websocket::Options limits);

  [[nodiscard]] Instance& instance() const noexcept { return instance_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const ssxrver_socket_handler& handler() const noexcept { return handler_; }

  /// The socket cannot go on: a line in the log, and 1011. Once for each socket.
  void fail(PluginSocket& socket, std::string_view why) const noexcept;

 private:
  [[nodiscard]] websocket::Upgrade<SocketData> upgrade(const http::Request& request) const;
  void open(PluginSocket& socket) const;
  void take(PluginSocket& socket, const ssxrver_message& message) const;
  [[nodiscard]] Task<> take_later(PluginSocket& socket, ssxrver_message message) const;
  std::int32_t call_message(PluginSocket& socket, const ssxrver_message& message,
                            ssxrver_operation& started) const noexcept;
  template <class F>
  void call(F&& fn) const noexcept {
    Instance::charge(label_);
    instance_.call_void(name_, std::forward<F>(fn));
  }
  template <class Reader>
  void set_reader(websocket::Handlers<SocketData>& handlers,
                  const std::shared_ptr<const SocketRoute>& route,
                  Reader websocket::Handlers<SocketData>::*reader) const;

  Instance& instance_;
  Lease lease_;
  const std::string name_;
  const char* const label_;
  const ssxrver_socket_handler handler_;
};

// A plugin is given the socket itself, under another name.
[[nodiscard]] inline ssxrver_socket* to_border(PluginSocket& socket) noexcept {
  return reinterpret_cast<ssxrver_socket*>(&socket);
}
[[nodiscard]] inline PluginSocket& socket_of(ssxrver_socket* socket) noexcept {
  return *reinterpret_cast<PluginSocket*>(socket);
}
[[nodiscard]] inline const PluginSocket& socket_of(const ssxrver_socket* socket) noexcept {
  return *reinterpret_cast<const PluginSocket*>(socket);
}

}  // namespace ssx::plugins
