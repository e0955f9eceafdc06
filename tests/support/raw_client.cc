#include "tests/support/raw_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

namespace ssx::test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, {}, lower, lower);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Lines of "name: value"; one that is none is a failed check.
Fields parse_fields(std::string_view text) {
  Fields fields;
  while (!text.empty()) {
    const auto end = text.find("\r\n");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    if (line.empty()) continue;
    const auto colon = line.find(':');
    EXPECT_NE(colon, std::string_view::npos) << "not a field: " << line;
    if (colon == std::string_view::npos) continue;
    fields.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
  }
  return fields;
}

std::optional<std::size_t> parse_number(std::string_view text, int base) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

/// "HTTP/1.1 200 OK" and the fields below it.
bool parse_head(RawResponse& response) {
  const std::string_view head = response.head;
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const bool framed = line.size() >= 12 && line.starts_with("HTTP/1.") && line[8] == ' ';
  const auto status = framed ? parse_number(line.substr(9, 3), 10) : std::nullopt;
  EXPECT_TRUE(status.has_value()) << "not a status line: " << line;
  if (!status) return false;
  response.status = static_cast<int>(*status);
  response.reason = line.size() > 13 ? line.substr(13) : "";
  response.fields = parse_fields(head.substr(line.size() + 2));
  return true;
}

struct Dialed {
  int fd = -1;
  bool reset = false;  ///< the peer accepted, and was quicker with its reset than connect()
};

Dialed connect_to(int family, const sockaddr* address, socklen_t size,
                  const RawClient::Options& options) {
  const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (options.receive_buffer_bytes > 0) {
    ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &options.receive_buffer_bytes, sizeof(int));
  }
  if (options.send_buffer_bytes > 0) {
    ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &options.send_buffer_bytes, sizeof(int));
  }
  if (::connect(fd, address, size) == 0) return {.fd = fd};
  if (errno == ECONNRESET) return {.fd = fd, .reset = true};
  ADD_FAILURE() << "cannot connect: " << std::strerror(errno);
  ::close(fd);
  return {};
}

}  // namespace

std::string RawResponse::field(std::string_view name) const {
  const auto found = std::ranges::find_if(
      fields, [name](const auto& entry) { return same_name(entry.first, name); });
  return found == fields.end() ? std::string() : found->second;
}

std::size_t RawResponse::count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      fields, [name](const auto& entry) { return same_name(entry.first, name); }));
}

RawClient RawClient::tcp(std::uint16_t port, const Options& options) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  Dialed dialed;
  if (::inet_pton(AF_INET, options.address.c_str(), &v4.sin_addr) == 1) {
    dialed = connect_to(AF_INET, reinterpret_cast<const sockaddr*>(&v4), sizeof v4, options);
  } else if (::inet_pton(AF_INET6, options.address.c_str(), &v6.sin6_addr) == 1) {
    dialed = connect_to(AF_INET6, reinterpret_cast<const sockaddr*>(&v6), sizeof v6, options);
  } else {
    ADD_FAILURE() << "not an address: " << options.address;
  }
  const int no_delay = options.no_delay ? 1 : 0;
  if (dialed.fd >= 0) {
    ::setsockopt(dialed.fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
  }
  RawClient client(dialed.fd, options);
  client.ended_ = client.reset_ = dialed.reset;
  return client;
}

RawClient RawClient::unix_socket(const std::string& path, const Options& options) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  EXPECT_LT(path.size(), sizeof address.sun_path) << path;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const Dialed dialed =
      connect_to(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address, options);
  return {dialed.fd, options};
}

RawClient::RawClient(int fd, const Options& options) : fd_(fd), patience_(options.patience) {}

RawClient::RawClient(RawClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      patience_(other.patience_),
      unread_(std::move(other.unread_)),
      ended_(other.ended_),
      reset_(other.reset_) {}

RawClient& RawClient::operator=(RawClient&& other) noexcept {
  if (this == &other) return *this;
  close();
  fd_ = std::exchange(other.fd_, -1);
  patience_ = other.patience_;
  unread_ = std::move(other.unread_);
  ended_ = other.ended_;
  reset_ = other.reset_;
  return *this;
}

RawClient::~RawClient() { close(); }

std::uint16_t RawClient::local_port() const {
  sockaddr_in6 address{};  // the port stands at the same place in both families
  socklen_t size = sizeof address;
  EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  return ntohs(address.sin6_port);
}

bool RawClient::wait_for(short events) {
  pollfd entry{.fd = fd_, .events = events, .revents = 0};
  const int ready = ::poll(&entry, 1, static_cast<int>(patience_.count()));
  if (ready > 0 || (ready < 0 && errno == EINTR)) return true;
  ADD_FAILURE() << (events == POLLIN ? "nothing came" : "nothing could be sent") << " within "
                << patience_.count() << " ms; unread: \"" << unread_ << '"';
  return false;
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!wait_for(POLLOUT)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool RawClient::send_in_pieces(std::string_view bytes, std::size_t size) {
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    if (!send(bytes.substr(at, size))) return false;
  }
  return true;
}

std::size_t RawClient::send_without_waiting(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    const std::string_view rest = bytes.substr(taken);
    const ssize_t sent = ::send(fd_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) break;
    taken += static_cast<std::size_t>(sent);
  }
  return taken;
}

bool RawClient::fill() {
  std::array<char, 16384> buffer;
  while (!ended_ && fd_ >= 0) {
    const ssize_t count = ::recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0) {
      unread_.append(buffer.data(), static_cast<std::size_t>(count));
      return true;
    }
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (!wait_for(POLLIN)) return false;
      continue;
    }
    ended_ = true;
    reset_ = count < 0 && errno == ECONNRESET;
  }
  return false;
}

std::string RawClient::take(std::size_t size) {
  std::string taken = unread_.substr(0, size);
  unread_.erase(0, size);
  return taken;
}

std::string RawClient::read(std::size_t size) {
  while (unread_.size() < size && fill()) {
  }
  return take(size);
}

std::string RawClient::read_until(std::string_view end) {
  for (std::size_t from = 0;;) {
    const auto found = unread_.find(end, from);
    if (found != std::string::npos) return take(found + end.size());
    from = unread_.size() < end.size() ? 0 : unread_.size() - end.size();
    if (!fill()) return take(unread_.size());
  }
}

std::string RawClient::read_to_end() {
  while (fill()) {
  }
  return take(unread_.size());
}

std::string RawClient::read_available() {
  pollfd entry{.fd = fd_, .events = POLLIN, .revents = 0};
  while (!ended_ && ::poll(&entry, 1, 0) == 1 && fill()) {
  }
  return take(unread_.size());
}

bool RawClient::read_chunks(RawResponse& response) {
  for (;;) {
    const std::string line = read_until("\r\n");
    const auto size = parse_number(line, 16);
    EXPECT_TRUE(size && line.ends_with("\r\n")) << "not a chunk size: " << line;
    if (!size || !line.ends_with("\r\n")) return false;
    if (*size == 0) break;
    response.body += read(*size);
    const std::string end = read(2);
    EXPECT_EQ(end, "\r\n") << "behind a chunk";
    if (end != "\r\n") return false;
  }
  for (;;) {
    const std::string line = read_until("\r\n");
    if (line == "\r\n") return true;
    if (!line.ends_with("\r\n")) return false;
    for (auto& field : parse_fields(line)) response.trailers.push_back(std::move(field));
  }
}

RawResponse RawClient::read_response(bool to_head) {
  RawResponse response;
  response.head = read_until("\r\n\r\n");
  if (!response.head.ends_with("\r\n\r\n")) {
    EXPECT_EQ(response.head, "") << "an incomplete head";
    return response;
  }
  if (!parse_head(response)) return response;
  const bool no_body = to_head || response.status < 200 || response.status == 204 ||
                       response.status == 304;  // RFC 9112 section 6.3
  bool whole = true;
  if (no_body) return response;
  if (same_name(response.field("Transfer-Encoding"), "chunked")) {
    whole = read_chunks(response);
  } else if (const std::string length = response.field("Content-Length"); !length.empty()) {
    const std::size_t size = parse_number(length, 10).value_or(0);
    response.body = read(size);
    whole = response.body.size() == size;
  } else {
    response.body = read_to_end();
  }
  EXPECT_TRUE(whole) << "the response ends early:\n" << response.head << response.body.size();
  if (!whole) response.status = 0;
  return response;
}

void RawClient::expect_end() {
  EXPECT_EQ(read_to_end(), "") << "before the end";
  EXPECT_TRUE(ended_);
  EXPECT_FALSE(reset_) << "a reset instead of an orderly end";
}

void RawClient::half_close() { EXPECT_EQ(::shutdown(fd_, SHUT_WR), 0) << std::strerror(errno); }

void RawClient::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void RawClient::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

}  // namespace ssx::test
