#include "tests/bench/thesis/load/peer.h"

#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace wsload {
namespace {

constexpr std::size_t kReceive = 256 << 10;
constexpr std::string_view kMask = "\x5a\x13\xc7\x2e";

std::vector<char>& receive_area() {
  static std::vector<char> area(kReceive);
  return area;
}

std::uint64_t read_number(std::string_view bytes) noexcept {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

void append_number(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(value >> shift & 0xff));
}

}  // namespace

std::string make_frame(std::uint8_t opcode, bool fin, std::string_view payload) {
  std::string frame;
  frame.reserve(payload.size() + 14);
  frame.push_back(static_cast<char>((fin ? 0x80 : 0) | opcode));
  if (payload.size() < 126) {
    frame.push_back(static_cast<char>(0x80 | payload.size()));
  } else if (payload.size() < 65536) {
    frame.push_back(static_cast<char>(0x80 | 126));
    append_number(frame, payload.size(), 2);
  } else {
    frame.push_back(static_cast<char>(0x80 | 127));
    append_number(frame, payload.size(), 8);
  }
  frame.append(kMask);
  for (std::size_t i = 0; i < payload.size(); ++i)
    frame.push_back(static_cast<char>(payload[i] ^ kMask[i % kMask.size()]));
  return frame;
}

std::string make_handshake(std::uint16_t port, std::string_view path) {
  return fmt::format(
      "GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
      path, port);
}

Peer::~Peer() { drop(); }

void Peer::connect(int poller, const Target& target, Scenario& scenario) {
  poller_ = poller;
  scenario_ = &scenario;
  ending_ = writing_ = false;
  header_size_ = 0;
  frame_left_ = message_ = 0;
  answer_.clear();
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return end(std::strerror(errno));
  const int one = 1;
  (void)::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(target.port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int done = ::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  if (done < 0 && errno != EINPROGRESS) return end(std::strerror(errno));
  state_ = State::kConnecting;
  out_ = target.handshake;
  writing_ = true;
  watch(EPOLL_CTL_ADD, EPOLLIN | EPOLLOUT);
}

void Peer::send(std::string_view frames) {
  out_ = frames;
  if (!flushing_) flush();
}

void Peer::drop() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  out_ = {};
  state_ = State::kNone;
}

void Peer::on_ready(std::uint32_t events) {
  if (state_ == State::kConnecting) {
    int error = 0;
    socklen_t size = sizeof error;
    (void)::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return end(std::strerror(error));
    if ((events & EPOLLOUT) == 0) return;
    state_ = State::kShaking;
  }
  if ((events & EPOLLOUT) != 0 && fd_ >= 0) flush();
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && fd_ >= 0) receive();
}

void Peer::watch(int operation, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = this;
  (void)::epoll_ctl(poller_, operation, fd_, &event);
}

void Peer::flush() {
  flushing_ = true;
  send_out();
  flushing_ = false;
}

void Peer::send_out() {
  while (!out_.empty()) {
    const ssize_t sent = ::send(fd_, out_.data(), out_.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) {
      if (!std::exchange(writing_, true)) watch(EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
      return;
    }
    if (sent < 0) return end(std::strerror(errno));
    out_.remove_prefix(static_cast<std::size_t>(sent));
    if (out_.empty() && state_ == State::kOpen) scenario_->on_sent(*this);
  }
  if (fd_ >= 0 && std::exchange(writing_, false)) watch(EPOLL_CTL_MOD, EPOLLIN);
}

void Peer::receive() {
  auto& area = receive_area();
  const ssize_t got = ::recv(fd_, area.data(), area.size(), 0);
  if (got < 0) {
    if (errno != EAGAIN) end(ending_ ? "" : std::strerror(errno));
    return;
  }
  if (got == 0) return end(ending_ ? "" : "the server has closed");
  take({area.data(), static_cast<std::size_t>(got)});
}

void Peer::take(std::string_view bytes) {
  if (state_ == State::kShaking) bytes = take_answer(bytes);
  while (!bytes.empty() && state_ == State::kOpen) {
    if (frame_left_ == 0) {
      bytes = take_header(bytes);
    } else {
      const auto here =
          static_cast<std::size_t>(std::min<std::uint64_t>(frame_left_, bytes.size()));
      const std::size_t keep = std::min(here, kKept - kept_size_);
      std::memcpy(kept_.data() + kept_size_, bytes.data(), keep);
      kept_size_ = static_cast<std::uint8_t>(kept_size_ + keep);
      frame_left_ -= here;
      bytes.remove_prefix(here);
    }
    if (frame_left_ > 0 || header_size_ > 0 || !fin_ || opcode_ >= kClose) continue;
    scenario_->on_message(*this, std::exchange(message_, 0));
  }
}

// What follows the answer.
std::string_view Peer::take_answer(std::string_view bytes) {
  const std::size_t before = answer_.size();
  answer_.append(bytes);
  const std::size_t end_of_head = answer_.find("\r\n\r\n");
  if (end_of_head == std::string::npos) return {};
  if (!answer_.starts_with("HTTP/1.1 101")) {
    end(fmt::format("refused: {}", answer_.substr(0, answer_.find('\r'))));
    return {};
  }
  state_ = State::kOpen;
  std::string().swap(answer_);
  scenario_->on_open(*this);
  return bytes.substr(end_of_head + 4 - before);
}

// What follows the header; `frame_left_` is set when it is whole, and header_size_ is 0 again.
std::string_view Peer::take_header(std::string_view bytes) {
  std::size_t wanted = 2;
  while (true) {
    const std::size_t more = std::min(wanted - header_size_, bytes.size());
    std::memcpy(header_.data() + header_size_, bytes.data(), more);
    header_size_ = static_cast<std::uint8_t>(header_size_ + more);
    bytes.remove_prefix(more);
    if (header_size_ < wanted) return bytes;
    const int short_size = header_[1] & 0x7f;
    const std::size_t whole = short_size == 126 ? 4 : short_size == 127 ? 10 : 2;
    if (wanted == whole) break;
    wanted = whole;
  }
  const std::string_view header(header_.data(), wanted);
  frame_left_ =
      wanted == 2 ? static_cast<std::uint64_t>(header[1] & 0x7f) : read_number(header.substr(2));
  header_size_ = 0;
  opcode_ = static_cast<std::uint8_t>(header[0] & 0x0f);
  if (opcode_ < kClose) {
    fin_ = (header[0] & 0x80) != 0;
    message_ += frame_left_;
  }
  if (opcode_ != kContinuation) kept_size_ = 0;
  if (opcode_ == kClose && !ending_) end("the server has said close");
  return bytes;
}

void Peer::end(std::string_view why) {
  drop();
  scenario_->on_closed(*this, why);
}

}  // namespace wsload
