#include "ssxrver/net/linux/tcp_transport.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <array>
#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include "ssxrver/net/error.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/socket.h"
#include "tests/support/raw_client.h"
#include "tests/support/sim/kernel.h"
#include "tests/support/temp_dir.h"

namespace ssx::net {
namespace {

using sim::Call;
using sim::CallWatch;

// What every transport promises is in tests/net/transport_test.cc.

class TcpTransportTest : public testing::Test {
 protected:
  void SetUp() override {
    auto pair = *sys::socket_pair(SOCK_STREAM);
    transport = std::make_unique<TcpTransport>(std::move(pair.first));
    peer = std::move(pair.second);
  }
  Result<std::size_t> write(std::vector<std::string_view> parts) {
    std::vector<ByteView> views;
    for (const std::string_view part : parts) views.push_back(as_bytes(part));
    return transport->write(views, false);
  }
  std::string received() {
    std::string text(1000, '\0');
    text.resize(sys::receive(peer.get(), std::as_writable_bytes(std::span(text))).value_or(0));
    return text;
  }
  FileSlice slice(std::string_view text) {
    file = *sys::open(dir.write("f", text).c_str(), O_RDONLY);
    FileSlice made;
    made.fd = file.get();
    made.size = text.size();
    return made;
  }

  std::unique_ptr<TcpTransport> transport;
  sys::UniqueFd peer;
  sys::UniqueFd file;
  const test::TempDir dir;
};

TEST_F(TcpTransportTest, OnePartIsASendAndManyAreOneSendmsg) {
  const CallWatch watch;
  EXPECT_EQ(write({"one"}).value_or(0), 3U);
  EXPECT_EQ(watch.of(Call::kSend), 1U);
  EXPECT_EQ(write({"two", "three", "four"}).value_or(0), 12U + 0U);
  EXPECT_EQ(watch.of(Call::kSendVector), 1U);
  EXPECT_EQ(watch.total(), 2U);
  EXPECT_EQ(received(), "onetwothreefour");
}

TEST_F(TcpTransportTest, EagainIsWouldBlockOnEveryCall) {
  sim::FaultPlan plan;
  plan.fail(Call::kSend, EAGAIN).fail(Call::kSendVector, EAGAIN).fail(Call::kSendFile, EAGAIN);
  plan.fail(Call::kReceive, EAGAIN);
  const auto would_block = make_error_code(Errc::kWouldBlock);
  std::array<std::byte, 8> room;
  EXPECT_TRUE(transport->read(room).error() == would_block);
  EXPECT_TRUE(write({"x"}).error() == would_block);
  EXPECT_TRUE(write({"x", "y"}).error() == would_block);
  EXPECT_TRUE(transport->send_file(slice("abc")).error() == would_block);
}

TEST_F(TcpTransportTest, OtherErrorsComeBackAsTheyAre) {
  std::array<std::byte, 8> room;
  for (const int error : {EPIPE, ECONNRESET, ENOBUFS, ETIMEDOUT, EIO}) {
    sim::FaultPlan plan;
    plan.fail(Call::kSend, error).fail(Call::kSendVector, error).fail(Call::kSendFile, error);
    plan.fail(Call::kReceive, error);
    EXPECT_TRUE(transport->read(room).error().is_errno(error));
    EXPECT_TRUE(write({"x"}).error().is_errno(error));
    EXPECT_TRUE(write({"x", "y"}).error().is_errno(error));
    EXPECT_TRUE(transport->send_file(slice("abc")).error().is_errno(error));
  }
}

TEST_F(TcpTransportTest, AFileMayBeCopiedWhereSendfileDoesNotHelp) {
  FileSlice copied = slice("0123456789");
  copied.zero_copy = false;
  copied.offset = 3;
  copied.size = 4;
  const CallWatch watch;
  EXPECT_EQ(transport->send_file(copied).value_or(0), 4U);
  EXPECT_EQ(watch.of(Call::kSendFile), 0U);
  EXPECT_EQ(received(), "3456");
  copied.offset = 10;
  EXPECT_TRUE(transport->send_file(copied).error() == make_error_code(Errc::kFileTruncated));
  sim::FaultPlan plan;
  plan.fail(Call::kPread, EIO);
  copied.offset = 0;
  EXPECT_TRUE(transport->send_file(copied).error().is_errno(EIO));
}

TEST(TcpTransportOverTcp, ResetIsRstAndCloseIsFin) {
  for (const bool reset : {true, false}) {
    auto listener = *sys::socket(AF_INET, SOCK_STREAM);
    sys::RawAddress any;
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::memcpy(&any.storage, &in, sizeof in);
    any.size = sizeof in;
    ASSERT_TRUE(sys::bind(listener.get(), any));
    ASSERT_TRUE(sys::listen(listener.get(), 1));
    const auto at = *sys::local_address(listener.get());
    sockaddr_in bound;
    std::memcpy(&bound, &at.storage, sizeof bound);
    auto client = test::RawClient::tcp(ntohs(bound.sin_port));
    TcpTransport transport(*sys::accept(listener.get(), nullptr));
    transport.close(reset);
    EXPECT_EQ(client.read_to_end(), "");
    EXPECT_EQ(client.was_reset(), reset);
  }
}

}  // namespace
}  // namespace ssx::net
