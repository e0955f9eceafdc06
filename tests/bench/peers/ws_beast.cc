// ws_app.cc on Boost.Beast, as its asynchronous server example does it: ws_beast PORT
#include <utility>  // boost/asio/awaitable.hpp of Debian 12 forgets it

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kFileMax = std::size_t{1} << 30;
constexpr std::size_t kPiece = 64 << 10;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class Peer : public std::enable_shared_from_this<Peer> {
 public:
  explicit Peer(tcp::socket socket) : stream_(std::move(socket)) {}

  void start() {
    beast::get_lowest_layer(stream_).socket().set_option(tcp::no_delay(true));
    http::async_read(stream_.next_layer(), buffer_, request_,
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (!error) self->accept();
                     });
  }

 private:
  void accept() {
    path_ = std::string(request_.target());
    stream_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    stream_.auto_fragment(false);
    if (path_ == "/store") file_.reset(std::tmpfile());
    streams_ = path_ == "/sink" || file_ != nullptr;
    stream_.read_message_max(streams_ ? 0 : kFileMax);
    stream_.async_accept(request_, [self = shared_from_this()](error_code error) {
      if (error) return;
      self->request_ = {};
      if (self->streams_) return self->read_piece();
      self->read();
    });
  }

  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
      if (!error) self->answer();
    });
  }

  void answer() {
    if (path_ == "/whole") return tell(std::exchange(buffer_, {}).size());
    stream_.binary(stream_.got_binary());
    stream_.async_write(buffer_.data(),
                        [self = shared_from_this()](error_code error, std::size_t written) {
                          if (error) return;
                          self->buffer_.consume(written);
                          self->read();
                        });
  }

  void read_piece() {
    piece_.resize(kPiece);
    stream_.async_read_some(asio::buffer(piece_),
                            [self = shared_from_this()](error_code error, std::size_t size) {
                              if (error) return;
                              if (self->file_)
                                std::fwrite(self->piece_.data(), 1, size, self->file_.get());
                              self->bytes_ += size;
                              if (!self->stream_.is_message_done()) return self->read_piece();
                              if (self->file_) std::fflush(self->file_.get());
                              self->tell(std::exchange(self->bytes_, 0));
                            });
  }

  void tell(std::uint64_t bytes) {
    told_ = std::to_string(bytes);
    stream_.text(true);
    stream_.async_write(asio::buffer(told_),
                        [self = shared_from_this()](error_code error, std::size_t) {
                          if (error) return;
                          if (self->streams_) return self->read_piece();
                          self->read();
                        });
  }

  websocket::stream<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  std::string path_;
  std::string told_;
  std::string piece_;
  std::unique_ptr<std::FILE, Close> file_;
  bool streams_ = false;
  std::uint64_t bytes_ = 0;
};

class Door {
 public:
  Door(asio::io_context& loop, std::uint16_t port)
      : acceptor_(loop, {asio::ip::address_v4::loopback(), port}) {
    acceptor_.listen(4096);
  }
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (!error) std::make_shared<Peer>(std::move(socket))->start();
      accept();
    });
  }

 private:
  tcp::acceptor acceptor_;
};

}  // namespace

int main(int argc, char** argv) {
  asio::io_context loop(1);
  Door door(loop, static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0));
  door.accept();
  loop.run();
}
