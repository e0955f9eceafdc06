#include "http/client/upload.h"

#include <gtest/gtest.h>

#include "http/client/client_connection.h"
#include "ssxrver/net/connections.h"
#include "tests/net/tcp_stream_fixture.h"

namespace ssx::http {
namespace {

class UploadTest : public net::TcpStreamTest {
 protected:
  void SetUp() override {
    auto [core, protocol] = ClientConnection::create();
    connection = std::move(core);
    auto [ours, far] = socket_pair();
    server = std::make_unique<net::Peer>(std::move(far));
    table->adopt(std::move(ours), std::move(protocol));
    idle();
  }
  void TearDown() override {
    upload.reset();
    connection = LocalRef<ClientConnection>();
    TcpStreamTest::TearDown();
  }
  void begin(RequestBody body) {
    upload = std::make_unique<Upload>(*connection, std::move(body));
    loop->post([this] { upload->start(); });
    idle();
  }

  LocalRef<ClientConnection> connection;
  std::unique_ptr<net::Peer> server;
  std::unique_ptr<Upload> upload;
};

TEST_F(UploadTest, SendsATextAtOnce) {
  for (const std::size_t size : {0U, 1U, 16384U, 16385U, 1U << 20}) {
    begin(RequestBody(net::pattern(size)));
    EXPECT_TRUE(upload->is_done());
    upload.reset();  // what is queued keeps the text
    std::string got;
    while (got.size() < size) {
      got += server->receive();
      idle();
    }
    EXPECT_EQ(got, net::pattern(size));
  }
}

TEST_F(UploadTest, RunsAStreamBesideEverythingElse) {
  begin(RequestBody::streamed([](UploadWriter& writer) -> Task<Result<void>> {
    const auto first = co_await writer.write("ab");
    if (!first) co_return first;
    co_await net::sleep_for(std::chrono::seconds(1));
    co_return co_await writer.write("c");
  }));
  EXPECT_FALSE(upload->is_done());
  EXPECT_EQ(server->receive(), "2\r\nab\r\n");
  advance(std::chrono::seconds(1));
  EXPECT_TRUE(upload->is_done());
  EXPECT_FALSE(upload->error());
  EXPECT_EQ(server->receive(), "1\r\nc\r\n0\r\n\r\n");
}

TEST_F(UploadTest, TellsTheErrorOfItsStream) {
  begin(RequestBody::streamed([](UploadWriter&) -> Task<Result<void>> {
    co_return fail(ssx::Errc::kMalformed, "source");
  }));
  EXPECT_FALSE(upload->is_done());
  ASSERT_TRUE(upload->error());
  EXPECT_EQ(*upload->error(), make_error_code(ssx::Errc::kMalformed));
}

TEST_F(UploadTest, DestroyingItCancelsTheStream) {
  struct Noted {
    bool& gone;
    ~Noted() { gone = true; }
  };
  bool gone = false;
  begin(RequestBody::streamed([&gone](UploadWriter& writer) -> Task<Result<void>> {
    const Noted noted{gone};
    const std::string piece(10'000, 'x');
    for (;;) {
      const auto written = co_await writer.write(piece);
      if (!written) co_return written;
    }
  }));
  EXPECT_FALSE(gone);
  loop->post([this] { upload.reset(); });
  idle();
  EXPECT_TRUE(gone);
}

TEST_F(UploadTest, EndsWithItsConnection) {
  begin(RequestBody::streamed([](UploadWriter& writer) -> Task<Result<void>> {
    const std::string piece(10'000, 'x');
    for (;;) {
      const auto written = co_await writer.write(piece);
      if (!written) co_return written;
    }
  }));
  server->close();
  idle();
  EXPECT_TRUE(upload->error());
}

}  // namespace
}  // namespace ssx::http
