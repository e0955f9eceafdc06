// What every Transport promises: run over TCP, unix sockets and memory.
#include "ssxrver/net/transport.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ssxrver/net/error.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/net/linux/tcp_transport.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/socket.h"
#include "tests/support/memory_net.h"
#include "tests/support/temp_dir.h"

namespace ssx::net {
namespace {

/// A transport, and the far end as plain verbs.
struct Ends {
  std::unique_ptr<Transport> transport;
  std::function<void(std::string_view)> send;
  std::function<std::string()> receive;  ///< what is there
  std::function<bool()> at_end;          ///< after receive() has taken everything
  std::function<void()> end;
  std::function<void()> close;
};

Ends over_socket(sys::UniqueFd ours, sys::UniqueFd theirs) {
  auto far = std::make_shared<sys::UniqueFd>(std::move(theirs));
  const auto take = [far](bool& ended) {
    std::string text;
    std::array<std::byte, 65536> chunk;
    while (true) {
      const auto count = sys::receive(far->get(), chunk);
      ended = count && *count == 0;
      if (!count || ended) return text;
      text += as_text(ByteView(chunk).first(*count));
    }
  };
  Ends ends;
  ends.transport = std::make_unique<TcpTransport>(std::move(ours));
  ends.send = [far](std::string_view text) {
    EXPECT_EQ(sys::send(far->get(), as_bytes(text)).value_or(0), text.size());
  };
  ends.receive = [take] {
    bool ended = false;
    return take(ended);
  };
  ends.at_end = [take] {
    bool ended = false;
    EXPECT_EQ(take(ended), "");
    return ended;
  };
  ends.end = [far] { EXPECT_TRUE(sys::shutdown_write(far->get())); };
  ends.close = [far] { far->reset(); };
  return ends;
}

struct Unix {
  Ends make() {
    auto pair = *sys::socket_pair(SOCK_STREAM);
    return over_socket(std::move(pair.first), std::move(pair.second));
  }
};

struct Tcp {
  Ends make() {
    ListenOptions options;
    options.port = 0;
    auto listener = *KernelStack::instance().listen(options, {});
    auto theirs = *KernelStack::instance().connect(listener->address(), {});
    auto ours = listener->accept();  // over loopback the connection stands when connect() returns
    return over_socket(std::move(ours->fd), std::move(theirs.fd));
  }
};

struct Memory {
  Ends make() {
    auto pair = std::make_shared<test::MemoryNet::Pair>(net.pair());
    Ends ends;
    ends.transport = std::move(pair->accepted.transport);
    ends.send = [pair](std::string_view text) { pair->peer.send(text); };
    ends.receive = [pair] { return pair->peer.take(); };
    ends.at_end = [pair] { return pair->peer.saw_end(); };
    ends.end = [pair] { pair->peer.end(); };
    ends.close = [pair] { pair->peer.close(); };
    return ends;
  }
  test::MemoryNet net;
};

template <class Kind>
class TransportTest : public testing::Test {
 protected:
  Result<std::size_t> read(std::size_t most = 1000) {
    buffer.resize(most);
    auto count = ends.transport->read(buffer);
    text = count ? std::string(as_text(ByteView(buffer).first(*count))) : "";
    return count;
  }
  Result<std::size_t> write(std::vector<std::string_view> parts) {
    std::vector<ByteView> views;
    for (const std::string_view part : parts) views.push_back(as_bytes(part));
    return ends.transport->write(views, false);
  }
  static std::error_code code(Errc errc) { return make_error_code(errc); }

  Kind kind;
  Ends ends = kind.make();
  std::vector<std::byte> buffer;
  std::string text;
};

using Kinds = testing::Types<Unix, Tcp, Memory>;
TYPED_TEST_SUITE(TransportTest, Kinds);

TYPED_TEST(TransportTest, ReadsWhatHasArrived) {
  EXPECT_TRUE(this->read().error() == this->code(Errc::kWouldBlock));
  this->ends.send("hello");
  EXPECT_EQ(this->read(3).value_or(0), 3U);
  EXPECT_EQ(this->text, "hel");
  EXPECT_EQ(this->read().value_or(0), 2U);
  EXPECT_EQ(this->text, "lo");
  EXPECT_TRUE(this->read().error() == this->code(Errc::kWouldBlock));
}

TYPED_TEST(TransportTest, ReadsTheEndAfterEverythingElse) {
  this->ends.send("last");
  this->ends.end();
  EXPECT_EQ(this->read().value_or(0), 4U);
  EXPECT_TRUE(this->read().error() == this->code(Errc::kEof));
  EXPECT_TRUE(this->read().error() == this->code(Errc::kEof));
}

TYPED_TEST(TransportTest, WritesOnePartAndMany) {
  EXPECT_EQ(this->write({"one"}).value_or(0), 3U);
  EXPECT_EQ(this->write({" two", " three", " four"}).value_or(0), 15U);
  EXPECT_EQ(this->ends.receive(), "one two three four");
  const std::vector<std::string_view> most(Transport::kPartsMax, "x");
  EXPECT_EQ(this->write(most).value_or(0), Transport::kPartsMax);
  EXPECT_EQ(this->ends.receive(), std::string(Transport::kPartsMax, 'x'));
}

TYPED_TEST(TransportTest, WritesUntilThereIsNoRoom) {
  const std::string chunk(100'000, 'x');
  std::size_t written = 0;
  Result<std::size_t> count{0};
  while ((count = this->write({chunk}))) {
    written += *count;
    ASSERT_LT(written, 100'000'000U);
  }
  EXPECT_TRUE(count.error() == this->code(Errc::kWouldBlock));
  std::size_t got = 0;
  while (got < written) got += this->ends.receive().size();
  EXPECT_EQ(got, written);
  EXPECT_TRUE(this->write({"again"}));
}

TYPED_TEST(TransportTest, SendsAPartOfAFile) {
  const test::TempDir dir;
  const auto file = sys::open(dir.write("f", "0123456789").c_str(), O_RDONLY);
  FileSlice slice;
  slice.fd = file->get();
  slice.offset = 2;
  slice.size = 5;
  EXPECT_EQ(this->ends.transport->send_file(slice).value_or(0), 5U);
  EXPECT_EQ(this->ends.receive(), "23456");
}

TYPED_TEST(TransportTest, AFileThatBecameShorterIsAnError) {
  const test::TempDir dir;
  const auto file = sys::open(dir.write("f", "0123456789").c_str(), O_RDONLY);
  FileSlice slice;
  slice.fd = file->get();
  slice.offset = 6;
  slice.size = 100;
  EXPECT_EQ(this->ends.transport->send_file(slice).value_or(0), 4U);
  slice.offset = 10;
  slice.size = 96;
  EXPECT_TRUE(this->ends.transport->send_file(slice).error() == this->code(Errc::kFileTruncated));
}

TYPED_TEST(TransportTest, AfterShutdownThePeerReadsTheEndAndMayStillTalk) {
  ASSERT_TRUE(this->write({"bye"}));
  ASSERT_TRUE(this->ends.transport->shutdown_write());
  EXPECT_EQ(this->ends.receive(), "bye");
  EXPECT_TRUE(this->ends.at_end());
  this->ends.send("heard");
  EXPECT_EQ(this->read().value_or(0), 5U);
  EXPECT_FALSE(this->write({"no more"}));
}

// D15: an error, and no signal that ends the process, on every way to write.
TYPED_TEST(TransportTest, WritingToAPeerThatHasGoneIsAnError) {
  const test::TempDir dir;
  const auto file = sys::open(dir.write("f", std::string(100, 'x')).c_str(), O_RDONLY);
  FileSlice slice;
  slice.fd = file->get();
  slice.size = 100;
  const std::vector<std::function<Result<std::size_t>()>> ways = {
      [this] { return this->write({"x"}); },
      [this] {
        return this->write({"x", "y"});
      },
      [&] { return this->ends.transport->send_file(slice); },
  };
  for (const auto& way : ways) {
    this->ends = this->kind.make();
    this->ends.close();
    (void)way();  // TCP learns of it by the answer to this one
    const auto count = way();
    ASSERT_FALSE(count);
    EXPECT_TRUE(count.error().is_errno(EPIPE) || count.error().is_errno(ECONNRESET))
        << count.error().message();
  }
}

TYPED_TEST(TransportTest, ClosingTellsThePeerAndTwiceIsOnce) {
  this->ends.transport->close(false);
  EXPECT_TRUE(this->ends.at_end());
  this->ends.transport->close(true);
}

TYPED_TEST(TransportTest, NeedsNoHandshake) { EXPECT_TRUE(this->ends.transport->handshake()); }

}  // namespace
}  // namespace ssx::net
