// A connection over a socket pair, handled by a coroutine, and its peer.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/tcp_stream.h"
#include "ssxrver/sys/socket.h"
#include "tests/net/loop_fixture.h"

namespace ssx::net {

inline std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + i * i % 23);
  return text;
}

/// The other end of a connection: a plain socket that the test reads and writes by hand.
class Peer {
 public:
  explicit Peer(sys::UniqueFd fd) : fd_(std::move(fd)) {}

  /// How much was taken before the socket was full.
  std::size_t send(std::string_view text) {
    std::size_t sent = 0;
    while (sent < text.size()) {
      const auto count = sys::send(fd_.get(), as_bytes(text.substr(sent)));
      if (!count) break;
      sent += *count;
    }
    return sent;
  }
  /// What is there now, at most `most`.
  std::string receive(std::size_t most = SIZE_MAX) {
    std::string got;
    std::array<std::byte, 4096> chunk;
    while (got.size() < most) {
      const auto room = std::min(chunk.size(), most - got.size());
      const auto count = sys::receive(fd_.get(), std::span(chunk).first(room));
      if (!count || *count == 0) {
        ended_ = count && *count == 0;
        break;
      }
      got += as_text(std::span(chunk).first(*count));
    }
    return got;
  }
  [[nodiscard]] bool at_end() {
    EXPECT_EQ(receive(), "");
    return ended_;
  }
  void shutdown_write() { std::ignore = sys::shutdown_write(fd_.get()); }
  void close() { fd_.reset(); }

 private:
  sys::UniqueFd fd_;
  bool ended_ = false;
};

class TcpStreamTest : public LoopTest {
 protected:
  static constexpr std::size_t kHigh = 64 << 10;
  static constexpr std::size_t kLow = 16 << 10;

  struct Ends {
    Accepted ours;
    Peer peer;
  };
  static Ends socket_pair() {
    auto pair = *sys::socket_pair(SOCK_STREAM);
    const auto as_tcp = *SocketAddress::parse("127.0.0.1", 4507);  // told once of what has come
    return {{std::move(pair.first), as_tcp, nullptr}, Peer(std::move(pair.second))};
  }
  /// A connection handled by `handler`, and its peer.
  Peer connect(StreamHandler handler, const StreamOptions& options = {}) {
    auto shared = std::make_shared<const StreamHandler>(std::move(handler));
    return connect(serve_stream(std::move(shared), options));
  }
  Peer connect(std::unique_ptr<Protocol> protocol) {
    auto [ours, peer] = socket_pair();
    connection = table->adopt(std::move(ours), std::move(protocol));
    idle();
    return std::move(peer);
  }
  void TearDown() override {
    end_loop();
    table.reset();
  }

  std::unique_ptr<Connections> table = std::make_unique<Connections>(
      *loop, ConnectionOptions{.output_high = kHigh, .output_low = kLow});
  Connection* connection = nullptr;  ///< the latest; dangling once it has ended
};

inline Task<> echo(TcpStream peer) {
  std::array<std::byte, 4096> chunk;
  while (auto count = co_await peer.read_some(chunk)) {
    if (!co_await peer.write_all(std::span(chunk).first(*count))) break;
  }
}

/// What a coroutine read, and how it ended.
struct Record {
  std::string text;
  std::vector<Error> errors;
};
inline Task<> read_all(TcpStream& peer, Record& record, std::size_t at_a_time = 4096) {
  std::vector<std::byte> chunk(at_a_time);
  for (;;) {
    const auto count = co_await peer.read_some(chunk);
    if (!count) {
      record.errors.push_back(count.error());
      co_return;
    }
    record.text += as_text(std::span(chunk).first(*count));
  }
}

inline Task<> write_then(TcpStream& stream, const std::string& text,
                         std::optional<Result<void>>& result) {
  result = co_await stream.write_all(as_bytes(text));
}

}  // namespace ssx::net
