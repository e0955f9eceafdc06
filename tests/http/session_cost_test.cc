// What a request costs: heap allocations and system calls, once everything has been used before.
#include <gtest/gtest.h>

#include <string>

#include "http/files/static_handler.h"
#include "http/middleware/compression.h"
#include "ssxrver/net/acceptor.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "tests/http/session_fixture.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/sim/kernel.h"
#include "tests/support/temp_dir.h"

namespace ssx::http::test {
namespace {

using sim::Call;
using ssx::test::allocations;

class Cost : public SessionTest {
 protected:
  Cost() {
    directory.write("small.txt", pattern(612));
    directory.write("large.bin", pattern(100 << 10));
    directory.write("style.css", pattern(2000));
    directory.write("style.css.gz", "gzipped");
    on(Method::kGet, "/", [](const Request&) { return "Hello, world!\n"; });
    on(Method::kGet, "/permanent", [](const Request&) { return Response::permanent(kText); });
    on(Method::kGet, "/long", [](const Request&) {
      static const std::string text(100 << 10, 'x');
      return Response::permanent(text);
    });
    on(Method::kGet, "/users/{id}/posts/{post}",
       [](const Request& r) { return r.param_as<int>("id") == 7 ? r.param("post") : "no"; });
    on(
        Method::kGet, "/", [](const Request&) { return "of a host"; }, RouteLimits::from(options),
        "a-host-with-a-name-that-is-long.example");
    on(Method::kPost, "/echo", [](const Request& r) { return r.body().text; });
    StaticOptions files;
    files.root = directory.path();
    EXPECT_TRUE(router.add("", {Method::kGet}, "/files/*",
                           {*make_static_handler(files), RouteLimits::from(options), "files"}));
  }

  /// Allocations per conversation, after some to warm up; `expected` is in each answer.
  std::int64_t allocations_of(const std::string& bytes, std::string_view expected) {
    Client client = connect();
    std::int64_t news = 0;
    for (int i = 0; i < 40; ++i) {
      client.send(bytes);
      const auto before = allocations();
      idle();
      if (i >= 20) news += (allocations() - before).news;
      EXPECT_NE(hear(client).find(expected), std::string::npos);
    }
    return news;
  }

  static constexpr std::string_view kText = "the same bytes each time";
  ssx::test::TempDir directory;
};

TEST_F(Cost, NoAllocationForAnAnswerFromMemory) {
  EXPECT_EQ(allocations_of(get("/"), "Hello, world!\n"), 0);
  EXPECT_EQ(allocations_of(get("/permanent"), kText), 0);
  EXPECT_EQ(allocations_of(get("/long"), "xxx"), 0);
  EXPECT_EQ(allocations_of(head("/"), "Content-Length: 14\r\n"), 0);
}

TEST_F(Cost, NoAllocationForARoute) {
  EXPECT_EQ(allocations_of(get("/users/7/posts/nine?a=b"), "nine"), 0);
  EXPECT_EQ(allocations_of(get("/a%20b/../users/7/posts/n%C3%BCn"), "n\xC3\xBCn"), 0);
  EXPECT_EQ(
      allocations_of("GET / HTTP/1.1\r\nHost: a-host-with-a-name-that-is-LONG.example\r\n\r\n",
                     "of a host"),
      0);
}

TEST_F(Cost, NoAllocationForARouteBehindTwoMiddlewares) {
  int looked_at = 0;
  const auto count = [&looked_at](const Request&) -> std::optional<Response> {
    ++looked_at;
    return std::nullopt;
  };
  const auto refuse = [](const Request&, Response& answer) { answer.status(Status::kAccepted); };
  const auto handler = compose(
      {Middleware::hooks(count, nullptr), Middleware::hooks(count, refuse)},
      [](const Request& request) { return Response::text(std::string(request.param("id"))); });
  ASSERT_TRUE(router.add("", {Method::kGet}, "/wrapped/{id}",
                         {*handler, RouteLimits::from(options), "wrapped"}));
  EXPECT_EQ(allocations_of(get("/wrapped/seven"), "seven"), 0);
  EXPECT_EQ(looked_at, 80);
}

TEST_F(Cost, NoMemoryForASlowReaderOfALongFile) {
  constexpr std::size_t kSize = 16 << 20;
  directory.write("long.bin", std::string(kSize, 'x'));
  Client client = connect();
  EXPECT_EQ(ask(client, get("/files/large.bin")).status, 200);
  EXPECT_EQ(ask(client, head("/files/long.bin")).status, 200);
  client.send(get("/files/long.bin"));
  std::size_t got = 0;
  std::int64_t bytes = 0;
  while (got < kSize) {
    const auto before = allocations();
    idle();
    bytes += (allocations() - before).bytes;
    const std::string some = client.read_available();
    if (some.empty()) break;
    got += some.size();
  }
  EXPECT_GE(got, kSize);
  EXPECT_LT(bytes, 1000) << "it waits for room, with a deadline: nothing of the file is kept";
}

TEST_F(Cost, NoAllocationForWhatIsNotToBeCompressedOrIsAlready) {
  StaticOptions files;
  files.root = directory.path();
  files.compressed_types = {"text/*"};
  const Middleware surround = compression();
  const auto wrapped = [&surround](Handler handler) { return *surround.wrap(std::move(handler)); };
  const RouteLimits limits = RouteLimits::from(options);
  EXPECT_TRUE(router.add("", {Method::kGet}, "/c/*",
                         {wrapped(*make_static_handler(files)), limits, "compressed files"}));
  EXPECT_TRUE(router.add(
      "", {Method::kGet}, "/c",
      {wrapped([](const Request&) { return Response::permanent(kText); }), limits, "compressed"}));
  directory.write("page.html", std::string(8000, 'x'));
  EXPECT_EQ(allocations_of(get("/c"), kText), 0);
  EXPECT_EQ(allocations_of(get("/c", "Accept-Encoding: gzip\r\n"), kText), 0);
  EXPECT_EQ(allocations_of(get("/c/small.txt"), pattern(612)), 0);
  EXPECT_EQ(allocations_of(get("/c/page.html"), "Vary: Accept-Encoding\r\n"), 0);
  EXPECT_EQ(allocations_of(get("/c/page.html", "Accept-Encoding: gzip\r\n"), "ding: gzip\r\n"), 0);
}

TEST_F(Cost, NoAllocationForALineOfTheAccessLog) {
  AccessLogOptions access;
  access.format =
      "$time_local $time_iso8601 $msec $remote_addr $remote_user \"$request\" $status "
      "$bytes_sent $request_time $http_user_agent $sent_http_content_type $route $host";
  access.exclude = {"/static/*"};
  start_service();
  std::size_t bytes = 0;
  const LineSink sink(
      [](void* context, std::string_view line) noexcept {
        *static_cast<std::size_t*>(context) += line.size();
      },
      &bytes);
  ASSERT_TRUE(service->log_accesses(access, sink));
  const std::string lines =
      "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit\r\n"
      "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n";
  EXPECT_EQ(allocations_of(get("/", lines), "Hello, world!\n"), 0);
  EXPECT_EQ(allocations_of(get("/users/7/posts/nine?a=b", lines), "nine"), 0);
  EXPECT_EQ(allocations_of(post("/echo", pattern(1000)), pattern(1000)), 0);
  EXPECT_GT(bytes, 100u * 120);
}

TEST_F(Cost, NoAllocationForManyFields) {
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += "X-Field-" + std::to_string(i) + ": some value\r\n";
  EXPECT_EQ(allocations_of(get("/", lines), "Hello"), 0);
}

TEST_F(Cost, NoAllocationForAClientBehindAProxyWithARate) {
  start_service();
  service->set_guard(*RequestGuard::create({"10.0.0.0/8"}, RealIpHeader::kForwarded,
                                           {{.match = "/*", .rate = {1'000'000, 1s, 1'000'000}}}));
  peer_address = *net::SocketAddress::parse("10.0.0.1", 4000);
  EXPECT_EQ(allocations_of(get("/", "Forwarded: for=\"[2001:db8::1]:80\", for=10.0.0.2\r\n"),
                           "Hello, world!\n"),
            0);
}

TEST_F(Cost, NoAllocationForACachedFile) {
  EXPECT_EQ(allocations_of(get("/files/small.txt"), pattern(612)), 0);
  EXPECT_EQ(allocations_of(get("/files/large.bin"), pattern(100 << 10)), 0);
  EXPECT_EQ(allocations_of(get("/files/small.txt", "If-None-Match: *\r\n"), "304 Not Modified"), 0);
}

TEST_F(Cost, NoAllocationForACompressedSibling) {
  const std::string accept = "Accept-Encoding: gzip, deflate, br;q=0.5\r\n";
  EXPECT_EQ(allocations_of(get("/files/style.css", accept), "gzipped"), 0);
  EXPECT_EQ(allocations_of(get("/files/small.txt", accept), pattern(612)), 0);
  EXPECT_EQ(allocations_of(get("/files/style.css", accept + "If-None-Match: *\r\n"), "304 Not"), 0);
}

TEST_F(Cost, NoAllocationForAPipeline) {
  std::string requests;
  for (int i = 0; i < 16; ++i) requests += get("/");
  EXPECT_EQ(allocations_of(requests, "Hello"), 0);
}

TEST_F(Cost, NoAllocationForABody) {
  EXPECT_EQ(allocations_of(post("/echo", pattern(1000)), pattern(1000)), 0);
  EXPECT_EQ(allocations_of(post_chunks("/echo", {"in ", "chunks"}), "in chunks"), 0);
}

TEST_F(Cost, NoAllocationForARequestInPieces) {
  Client client = connect();
  const std::string bytes = post("/echo", pattern(1000));
  std::int64_t news = 0;
  for (int i = 0; i < 40; ++i) {
    for (const auto& [from, size] : {std::pair(0, 10), std::pair(10, 50), std::pair(60, 5000)}) {
      client.send(std::string_view(bytes).substr(static_cast<std::size_t>(from),
                                                 static_cast<std::size_t>(size)));
      const auto before = allocations();
      idle();
      if (i >= 20) news += (allocations() - before).news;
    }
    EXPECT_EQ(client.read_response().body, pattern(1000));
  }
  EXPECT_EQ(news, 0);
}

TEST_F(Cost, OneReceiveAndOneSendPerRequest) {
  for (const char* target : {"/", "/permanent", "/users/7/posts/nine", "/files/small.txt"}) {
    Client client = connect();
    ask(client, get(target));
    const sim::CallWatch watch;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(ask(client, get(target)).status, 200);
    EXPECT_EQ(watch.of(Call::kReceive), 10u) << target;
    EXPECT_EQ(watch.of(Call::kSend), 10u) << target;
    EXPECT_EQ(watch.total() - watch.of(Call::kEpollWait), 20u) << target;
  }
}

TEST_F(Cost, OneSendAndOneSendfileForALargeFile) {
  Client client = connect();
  ask(client, get("/files/large.bin"));
  const sim::CallWatch watch;
  EXPECT_EQ(ask(client, get("/files/large.bin")).body.size(), 100u << 10);
  EXPECT_EQ(watch.of(Call::kReceive), 1u);
  EXPECT_EQ(watch.of(Call::kSend), 1u);
  EXPECT_EQ(watch.of(Call::kSendFile), 1u);
  EXPECT_EQ(watch.total() - watch.of(Call::kEpollWait), 3u);
}

// No accept that finds nobody: it would cost as much as one that does.
TEST_F(Cost, SixCallsForAConnectionOfOneRequest) {
  start_service();
  net::ListenOptions where;
  where.port = 0;
  const auto listener = *net::KernelStack::instance().listen(where, {});
  const auto everybody = *net::Admission::create({}, {});
  net::AcceptCounters accepted;
  net::Acceptor::Hooks hooks;
  hooks.is_full = [] { return false; };
  hooks.reserve = [] { return true; };
  hooks.take = [this](net::Accepted socket) {
    table->adopt(std::move(socket), service->make_session(0));
  };
  hooks.batch_done = [] {};
  net::Acceptor acceptor(*loop, *listener, {}, *everybody, accepted, std::move(hooks));
  ASSERT_TRUE(acceptor.start());
  for (int i = 0; i < 3; ++i) {
    Client client = Client::tcp(listener->address().port());
    client.send(get("/", "Connection: close\r\n"));
    const sim::CallWatch watch;
    idle();
    EXPECT_EQ(client.read_response().body, "Hello, world!\n");
    client.expect_end();
    EXPECT_EQ(watch.of(Call::kAccept), 1u);
    EXPECT_EQ(watch.of(Call::kIsReadable), 1u);
    EXPECT_EQ(watch.of(Call::kEpollAdd), 1u);
    EXPECT_EQ(watch.of(Call::kReceive), 1u);
    EXPECT_EQ(watch.of(Call::kSend), 1u);
    EXPECT_EQ(watch.of(Call::kClose), 1u);
    const auto timers = watch.of(Call::kTimerfdArm) + watch.of(Call::kTimerfdTake);
    EXPECT_EQ(watch.total() - watch.of(Call::kEpollWait) - timers, 6u);
    if (i > 0) {
      EXPECT_EQ(timers, 0u);
    }
  }
}

}  // namespace
}  // namespace ssx::http::test
