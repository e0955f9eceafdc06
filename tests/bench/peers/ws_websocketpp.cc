// ws_app.cc on WebSocket++: ws_websocketpp PORT. It hands on whole messages only.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <websocketpp/config/asio_no_tls.hpp>
#include <websocketpp/server.hpp>

namespace {

struct Config : websocketpp::config::asio {
  // What a server with one thread and nothing to log would choose.
  static bool const enable_multithreading = false;
  static std::size_t const max_message_size = std::size_t{1} << 30;
  struct Transport : websocketpp::config::asio::transport_config {
    static bool const enable_multithreading = false;
  };
  using transport_type = websocketpp::transport::asio::endpoint<Transport>;
};

using Server = websocketpp::server<Config>;
using websocketpp::connection_hdl;

void store(const std::string& payload) {
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) return;
  std::fwrite(payload.data(), 1, payload.size(), file);
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  const auto port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  std::set<connection_hdl, std::owner_less<connection_hdl>> all;
  Server server;
  server.clear_access_channels(websocketpp::log::alevel::all);
  server.clear_error_channels(websocketpp::log::elevel::all);
  server.init_asio();
  server.set_reuse_addr(true);
  server.set_listen_backlog(4096);
  server.set_tcp_post_init_handler([&server](connection_hdl peer) {
    auto connection = server.get_con_from_hdl(peer);
    connection->get_socket().set_option(boost::asio::ip::tcp::no_delay(true));
  });
  server.set_open_handler([&server, &all](connection_hdl peer) {
    if (server.get_con_from_hdl(peer)->get_resource() == "/broadcast") all.insert(peer);
  });
  server.set_close_handler([&all](connection_hdl peer) { all.erase(peer); });
  server.set_message_handler([&server, &all](connection_hdl peer, Server::message_ptr message) {
    const std::string& path = server.get_con_from_hdl(peer)->get_resource();
    websocketpp::lib::error_code error;
    if (path == "/broadcast") {
      for (const auto& other : all)
        server.send(other, message->get_payload(), message->get_opcode(), error);
    } else if (path == "/echo") {
      server.send(peer, message->get_payload(), message->get_opcode(), error);
    } else {
      if (path == "/store") store(message->get_payload());
      server.send(peer, std::to_string(message->get_payload().size()),
                  websocketpp::frame::opcode::text, error);
    }
  });
  server.listen(boost::asio::ip::address_v4::loopback(), port);
  server.start_accept();
  server.run();
}
