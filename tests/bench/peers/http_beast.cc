// What hello_app and json_app do, by hand on Boost.Beast: http_beast PORT
//
// One thread, a session per connection, as Beast's own examples have it; cheaper than those where
// that takes no more than a line: no virtual executor, one buffer and one parser's memory for all
// requests of a connection, a date that is made once a second.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using Executor = asio::io_context::executor_type;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Stream = beast::basic_stream<tcp, Executor>;
using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

constexpr std::chrono::seconds kPatience{30};

/// "Sun, 06 Nov 1994 08:49:37 GMT", made once a second.
const std::string& date() {
  static std::time_t made_at = 0;
  static std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != made_at) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    char buffer[32];
    text.assign(buffer, std::strftime(buffer, sizeof(buffer), "%a, %d %b %Y %T GMT", &parts));
    made_at = now;
  }
  return text;
}

std::optional<std::uint64_t> user_of(std::string_view target) {
  constexpr std::string_view prefix = "/users/";
  if (!target.starts_with(prefix)) return std::nullopt;
  target.remove_prefix(prefix.size());
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), id);
  if (error != std::errc() || end != target.data() + target.size()) return std::nullopt;
  return id;
}

/// Without the query.
std::string_view path_of(const Request& request) {
  const std::string_view target(request.target().data(), request.target().size());
  return target.substr(0, target.find('?'));
}

void show_user(const Request& request, Response& answer) {
  const auto id = user_of(path_of(request));
  if (request.method() != http::verb::get || !id) {
    answer.result(http::status::not_found);
    return;
  }
  const nlohmann::json user = {{"active", true},
                               {"id", *id},
                               {"name", "user " + std::to_string(*id)},
                               {"roles", {"reader", "writer"}}};
  answer.set(http::field::content_type, "application/json");
  answer.body() = user.dump();
}

void say_hello(Response& answer) {
  answer.set(http::field::content_type, "text/plain");
  answer.body() = "Hello world!";
}

/// What the two middlewares of json_app add.
void add_fields(Response& answer) {
  static std::uint64_t number = 0;
  answer.set("X-Content-Type-Options", "nosniff");
  answer.set("X-Frame-Options", "DENY");
  answer.set("Referrer-Policy", "strict-origin-when-cross-origin");
  answer.set("X-Request-Number", std::to_string(++number));
}

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(Socket socket) : stream_(std::move(socket)) {}

  void read() {
    request_ = {};
    stream_.expires_after(kPatience);
    http::async_read(stream_, buffer_, request_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (!error) self->answer();
                     });
  }

 private:
  void answer() {
    answer_ = {http::status::ok, request_.version()};
    answer_.keep_alive(request_.keep_alive());
    answer_.set(http::field::server, "ssxrver");
    answer_.set(http::field::date, date());
    if (path_of(request_) == "/") {
      say_hello(answer_);
    } else {
      show_user(request_, answer_);
      add_fields(answer_);
    }
    answer_.prepare_payload();
    stream_.expires_after(kPatience);
    http::async_write(stream_, answer_,
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        if (!error && self->answer_.keep_alive()) self->read();
                      });
  }

  Stream stream_;
  beast::flat_buffer buffer_;
  Request request_;
  Response answer_;
};

void accept(Acceptor& acceptor) {
  acceptor.async_accept([&acceptor](beast::error_code error, Socket socket) {
    if (!error) {
      socket.set_option(tcp::no_delay(true), error);
      std::make_shared<Session>(std::move(socket))->read();
    }
    accept(acceptor);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const auto port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  asio::io_context context{1};
  Acceptor acceptor(context.get_executor(), {asio::ip::address_v4::loopback(), port});
  accept(acceptor);
  context.run();
}
