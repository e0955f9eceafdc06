// A client that does exactly what it is told: blocking, over the real loopback, byte for byte.
//
//   auto client = RawClient::tcp(port);
//   client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
//   EXPECT_EQ(client.read_response().status, 200);
//
// It makes its own system calls, so that it neither counts nor fails with those under test.
//
// Thread: one thread at a time
// Owner:  the test
// Life:   the connection ends with the object (FIN), or as close() and reset() say
// Bounds: every wait ends after Options::patience with a failed check; no test can hang
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ssx::test {

/// What came back, taken apart without a parser of ours.
struct RawResponse {
  int status = 0;  ///< 0: no complete response came
  std::string reason;
  std::string head;  ///< status line and fields as received, with the empty line
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;  ///< decoded, when it came in chunks
  std::vector<std::pair<std::string, std::string>> trailers;

  /// The first field of that name in any case; "" when there is none.
  [[nodiscard]] std::string field(std::string_view name) const;
  [[nodiscard]] std::size_t count(std::string_view name) const;
};

class RawClient {
 public:
  struct Options {
    std::string address = "127.0.0.1";  ///< or an IPv6 address
    std::chrono::milliseconds patience{10'000};
    int receive_buffer_bytes = 0;  ///< SO_RCVBUF before connecting; 0: the system's
    int send_buffer_bytes = 0;     ///< SO_SNDBUF
    bool no_delay = true;          ///< every send() is a segment of its own
  };

  /// A failed check, and a client that is not connected, when nobody listens. Who accepts and
  /// resets may do so before connect() returns: that is a connection, and was_reset().
  static RawClient tcp(std::uint16_t port) { return tcp(port, Options()); }
  static RawClient tcp(std::uint16_t port, const Options& options);
  static RawClient unix_socket(const std::string& path) { return unix_socket(path, Options()); }
  static RawClient unix_socket(const std::string& path, const Options& options);
  /// Takes a connected stream socket over.
  explicit RawClient(int fd) : RawClient(fd, Options()) {}
  RawClient(int fd, const Options& options);

  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&& other) noexcept;
  ~RawClient();

  [[nodiscard]] bool connected() const noexcept { return fd_ >= 0; }
  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] std::uint16_t local_port() const;

  /// All of it; false (and no failed check) when the peer has closed or reset meanwhile.
  bool send(std::string_view bytes);
  /// In pieces of `size` bytes, each a system call.
  bool send_in_pieces(std::string_view bytes, std::size_t size);
  /// As much as the kernel takes without waiting: how far a peer goes that does not read.
  std::size_t send_without_waiting(std::string_view bytes);

  /// Exactly `size` bytes; fewer when the peer closes first.
  std::string read(std::size_t size);
  /// Up to and with `end`.
  std::string read_until(std::string_view end);
  /// Everything until the peer closes or resets.
  std::string read_to_end();
  /// What has arrived by now.
  std::string read_available();
  /// One HTTP/1.x response, an interim one (1xx) too: by Content-Length, in chunks, or to the end.
  /// `to_head`: the answer to a HEAD request has no body.
  RawResponse read_response(bool to_head = false);

  /// Waits for the peer's FIN; any byte before it is a failed check.
  void expect_end();
  /// How the peer ended it, after a read that met the end.
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] bool was_reset() const noexcept { return reset_; }

  void half_close();  ///< FIN; reading goes on
  void close();
  void reset();  ///< RST

 private:
  bool wait_for(short events);
  /// Reads some more into unread_; false at the end, or when the patience is over.
  bool fill();
  std::string take(std::size_t size);
  bool read_chunks(RawResponse& response);

  int fd_ = -1;
  std::chrono::milliseconds patience_;
  std::string unread_;
  bool ended_ = false;
  bool reset_ = false;
};

}  // namespace ssx::test
