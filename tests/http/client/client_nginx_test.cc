// The client against nginx.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <string>

#include "tests/http/client/client_loop.h"
#include "tests/support/child_process.h"
#include "tests/support/peer.h"
#include "tests/support/raw_client.h"
#include "tests/support/reserved_port.h"
#include "tests/support/temp_dir.h"

namespace ssx::http::test {
namespace {

using ssx::test::ChildProcess;

class NginxTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string nginx =
        ssx::test::find_program("nginx").empty()
            ? (::access("/usr/sbin/nginx", X_OK) == 0 ? "/usr/sbin/nginx" : "")
            : ssx::test::find_program("nginx");
    SSX_NEEDS_PEER(!nginx.empty(), "nginx");
    const std::string folder = folder_.path();
    std::ofstream(folder + "/hello.txt") << "hello from nginx\n";
    std::ofstream(folder + "/large.bin") << std::string(5'000'000, 'x');
    std::ofstream(folder + "/nginx.conf")
        << "daemon off; master_process off; error_log stderr notice; pid " << folder
        << "/pid;\nevents {}\nhttp {\n access_log off; root " << folder
        << ";\n client_body_temp_path " << folder << "/b; proxy_temp_path " << folder
        << "/p; fastcgi_temp_path " << folder << "/f; uwsgi_temp_path " << folder
        << "/u; scgi_temp_path " << folder << "/s;\n gzip on; gzip_min_length 1; gzip_types *;\n"
        << " server { listen 127.0.0.1:" << port_.number() << ";\n"
        << "  location /away { return 302 /hello.txt; }\n"
        << "  location /empty { return 204; }\n"
        << "  location /once { keepalive_timeout 0; return 200 once; }\n"
        << "  location /small { client_max_body_size 1k; proxy_pass http://127.0.0.1:1; }\n"
        << " }\n}\n";
    nginx_ = std::make_unique<ChildProcess>(
        ChildProcess::start({nginx, "-c", folder + "/nginx.conf", "-e", "stderr", "-p", folder}));
    ASSERT_TRUE(nginx_->wait_for_output("event method")) << nginx_->err();
    url = "http://127.0.0.1:" + std::to_string(port_.number());
  }
  void TearDown() override {
    if (nginx_ == nullptr) return;
    nginx_->signal(SIGTERM);
    EXPECT_TRUE(nginx_->wait().ended);
  }

  ssx::test::TempDir folder_;
  const ssx::test::ReservedPort port_;  // nginx cannot tell which port it took for 0
  std::unique_ptr<ChildProcess> nginx_;
  std::unique_ptr<net::TaskPool> tasks = *net::TaskPool::start({});
  net::Resolver resolver{*tasks};
  ClientLoop own{resolver};
  std::string url;
};

TEST_F(NginxTest, UnderstandsEachOther) {
  const auto hello = own.get(url + "/hello.txt");
  ASSERT_TRUE(hello) << hello.error().message();
  EXPECT_EQ(hello->status(), 200);
  EXPECT_EQ(hello->body(), "hello from nginx\n");
  EXPECT_TRUE(hello->field("server").starts_with("nginx"));

  const auto large = own.get(url + "/large.bin");
  ASSERT_TRUE(large) << large.error().message();
  EXPECT_EQ(large->body(), std::string(5'000'000, 'x'));

  ClientRequest packed;  // gzip makes nginx answer in chunks
  packed.url = url + "/hello.txt";
  packed.fields = {{.name = "Accept-Encoding", .value = "gzip"}};
  const auto chunked = own.fetch(packed);
  ASSERT_TRUE(chunked) << chunked.error().message();
  EXPECT_EQ(chunked->field("transfer-encoding"), "chunked");
  EXPECT_TRUE(chunked->body().starts_with("\x1f\x8b"));

  ClientRequest head;
  head.method = "HEAD";
  head.url = url + "/large.bin";
  const auto only_head = own.fetch(head);
  ASSERT_TRUE(only_head) << only_head.error().message();
  EXPECT_EQ(only_head->content_length(), 5'000'000U);
  EXPECT_EQ(only_head->body(), "");

  const auto away = own.get(url + "/away");
  ASSERT_TRUE(away) << away.error().message();
  EXPECT_EQ(away->url().path(), "/hello.txt");
  EXPECT_EQ(own.get(url + "/empty")->status(), 204);
  EXPECT_EQ(own.get(url + "/nowhere")->status(), 404);
  EXPECT_EQ(own.client().counters().connected.value(), 1U) << "one connection for all of it";

  EXPECT_EQ(own.get(url + "/once")->body(), "once");
  EXPECT_EQ(own.client().idle_connections(), 0U);
}

TEST_F(NginxTest, RefusesWhatIsTooLarge) {
  for (const bool asks_first : {false, true}) {
    ClientRequest request;
    request.method = "POST";
    request.url = url + "/small";
    request.expect_continue = asks_first;
    request.body = std::string(100'000, 'x');
    const auto refused = own.fetch(request);
    ASSERT_TRUE(refused) << refused.error().message();
    EXPECT_EQ(refused->status(), 413);
  }
}

}  // namespace
}  // namespace ssx::http::test
