// What every NetStack promises: run over the kernel's and over the one in memory.
#include "ssxrver/net/net_stack.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <string>

#include "ssxrver/net/error.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/net/linux/tcp_transport.h"
#include "tests/support/memory_net.h"

namespace ssx::net {
namespace {

struct Kernel {
  NetStack& stack() { return KernelStack::instance(); }
};
struct Memory {
  NetStack& stack() { return net; }
  test::MemoryNet net;
};

template <class Kind>
class NetStackTest : public testing::Test {
 protected:
  static Accepted accept(Listener& listener) {
    while (true) {
      auto accepted = listener.accept();
      if (accepted) return *std::move(accepted);
      if (!accepted.error().is_errno(EAGAIN)) return {};
    }
  }
  static std::unique_ptr<Transport> transport_of(Accepted accepted) {
    if (accepted.transport != nullptr) {
      fds().push_back(std::move(accepted.fd));
      return std::move(accepted.transport);
    }
    return std::make_unique<TcpTransport>(std::move(accepted.fd));
  }
  /// Everything that comes before the other side ends.
  static std::string read_all(Transport& transport) {
    std::string text;
    std::array<std::byte, 256> chunk;
    while (true) {
      const auto count = transport.read(chunk);
      if (count) {
        text += as_text(ByteView(chunk).first(*count));
      } else if (!(count.error() == make_error_code(Errc::kWouldBlock))) {
        return text;
      }
    }
  }
  static std::vector<sys::UniqueFd>& fds() {
    static std::vector<sys::UniqueFd> all;
    return all;
  }
  void TearDown() override { fds().clear(); }

  Kind kind;
  NetStackTest() { options.port = 0; }
  ListenOptions options;
};

using Kinds = testing::Types<Kernel, Memory>;
TYPED_TEST_SUITE(NetStackTest, Kinds);

TYPED_TEST(NetStackTest, AConnectionCarriesBytesBothWays) {
  auto listener = this->kind.stack().listen(this->options, {});
  ASSERT_TRUE(listener);
  EXPECT_GT((*listener)->address().port(), 0);
  EXPECT_GE((*listener)->fd(), 0);
  EXPECT_FALSE((*listener)->name().empty());
  EXPECT_TRUE((*listener)->accept().error().is_errno(EAGAIN));
  auto near = this->kind.stack().connect((*listener)->address(), {});
  ASSERT_TRUE(near);
  auto client = this->transport_of(*std::move(near));
  auto server = this->transport_of(this->accept(**listener));
  const std::array<ByteView, 1> ask{as_bytes("ask")};
  const std::array<ByteView, 1> answer{as_bytes("answer")};
  EXPECT_EQ(client->write(ask, false).value_or(0), 3U);
  ASSERT_TRUE(client->shutdown_write());
  EXPECT_EQ(this->read_all(*server), "ask");
  EXPECT_EQ(server->write(answer, false).value_or(0), 6U);
  server->close(false);
  EXPECT_EQ(this->read_all(*client), "answer");
}

TYPED_TEST(NetStackTest, AListenerThatRefusesNewcomersKeepsWhoHasBegun) {
  const auto listener = this->kind.stack().listen(this->options, {});
  ASSERT_TRUE(listener);
  const auto early = this->kind.stack().connect((*listener)->address(), {});
  ASSERT_TRUE(early);
  (*listener)->refuse_new();
  const auto late = this->kind.stack().connect((*listener)->address(), {});
  EXPECT_TRUE(this->accept(**listener).fd);
  EXPECT_TRUE((*listener)->accept().error().is_errno(EAGAIN));
}

TYPED_TEST(NetStackTest, TwoListenersOnOnePortAreRefused) {
  const auto first = this->kind.stack().listen(this->options, {});
  ASSERT_TRUE(first);
  this->options.port = (*first)->address().port();
  const auto second = this->kind.stack().listen(this->options, {});
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error().is_errno(EADDRINUSE));
}

TYPED_TEST(NetStackTest, AListenerThatHasGoneLeavesItsPortFree) {
  {
    const auto first = this->kind.stack().listen(this->options, {});
    ASSERT_TRUE(first);
    this->options.port = (*first)->address().port();
  }
  EXPECT_TRUE(this->kind.stack().listen(this->options, {}));
}

}  // namespace
}  // namespace ssx::net
