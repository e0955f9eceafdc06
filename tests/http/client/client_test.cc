#include "http/client/client.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "tests/http/client/client_fixture.h"
#include "tests/support/feed_every_split.h"

namespace ssx::http::test {
namespace {

TEST_F(ClientTest, SendsARequestThatAServerUnderstands) {
  fetch("http://10.0.0.1:8080/a/b?c=%20d");
  EXPECT_EQ(stack.asked, std::vector<std::string>{"10.0.0.1:8080"});
  EXPECT_EQ(received(),
            "GET /a/b?c=%20d HTTP/1.1\r\nHost: 10.0.0.1:8080\r\nUser-Agent: ssxrver\r\n\r\n");
}

TEST_F(ClientTest, GivesTheWholeResponse) {
  exchange(kUrl,
           "HTTP/1.1 404 Gone fishing\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
           "X-A: 1\r\n\r\nhello");
  EXPECT_EQ((*answer)->status(), 404);
  EXPECT_FALSE((*answer)->is_success());
  EXPECT_EQ((*answer)->reason(), "Gone fishing");
  EXPECT_EQ((*answer)->field("x-a"), "1");
  EXPECT_EQ((*answer)->field("x-b"), "");
  EXPECT_EQ((*answer)->body(), "hello");
  EXPECT_EQ((*answer)->url().text(), kUrl);
  EXPECT_EQ(client->counters().requests.value(), 1U);
  EXPECT_EQ(client->counters().connected.value(), 1U);
}

struct Whole {
  std::string bytes;
  std::string body;
  bool ends_with_connection = false;
};
const std::vector<Whole>& responses() {
  static const std::vector<Whole> all = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 11\r\nA: b\r\n\r\nhello world", "hello world", false},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n"
       "0\r\nSum: 1\r\nB:\r\n\r\n",
       "hello world", false},
      {"HTTP/1.1 200 OK\r\n\r\nhello world", "hello world", true},
      {"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
       "hi",
       "hi", false}};
  return all;
}

TEST_F(ClientTest, DoesNotCareHowAResponseIsCut) {
  for (const Whole& whole : responses()) {
    ssx::test::feed_every_split(whole.bytes,
                                [&](const ssx::test::Pieces& pieces) {
                                  answer.reset();
                                  fetch(kUrl);
                                  for (const std::string_view piece : pieces) reply(piece);
                                  if (whole.ends_with_connection) end();
                                  ASSERT_TRUE(answer && *answer);
                                  EXPECT_EQ((*answer)->body(), whole.body);
                                },
                                {.random = 10});
  }
}

TEST_F(ClientTest, TellsWhereverAServerEndsTooEarly) {
  for (const Whole& whole : responses()) {
    const std::size_t head = whole.bytes.find("\r\n\r\n") + 4;
    for (std::size_t size = 0; size < whole.bytes.size(); ++size) {
      SCOPED_TRACE(whole.bytes.substr(0, size));
      make_client({});
      answer.reset();
      fetch(kUrl);
      reply(std::string_view(whole.bytes).substr(0, size));
      EXPECT_FALSE(answer);
      end();
      ASSERT_TRUE(answer);
      if (whole.ends_with_connection && size >= head) {
        ASSERT_TRUE(*answer);
        EXPECT_EQ((*answer)->body(), whole.bytes.substr(head, size - head));
      } else {
        EXPECT_EQ(error(),
                  make_error_code(size == 0 ? Errc::kNoResponse : Errc::kResponseCutShort));
        EXPECT_EQ(failures(size == 0 ? Errc::kNoResponse : Errc::kResponseCutShort), 1U);
      }
    }
  }
}

TEST_F(ClientTest, RefusesGarbageAndEndsTheConnection) {
  const struct {
    std::string_view bytes;
    Errc error;
  } rows[] = {
      {"SSH-2.0-OpenSSH_9.2\r\n", Errc::kBadVersion},
      {"HTTP/2.0 200 OK\r\n\r\n", Errc::kUnsupportedVersion},
      {"HTTP/1.1 20 OK\r\n\r\n", Errc::kBadStatus},
      {"HTTP/1.1 200 OK\r\nA : b\r\n\r\n", Errc::kBadFieldName},
      {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
       Errc::kDuplicateContentLength},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", Errc::kBadChunkSize},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", Errc::kBadChunkEnd},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA\r\n\r\n", Errc::kBadTrailer},
      {"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
       Errc::kUnexpectedUpgrade},
      {"HTTP/1.1 100 \r\nContent-Length: 5\r\n\r\nhello", Errc::kTransferEncodingAndLength}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.bytes);
    answer.reset();
    fetch(kUrl);
    std::ignore = received();
    reply(row.bytes);
    EXPECT_EQ(error(), make_error_code(row.error));
    EXPECT_TRUE(is_closed());
  }
}

TEST_F(ClientTest, KnowsResponsesWithoutABody) {
  const struct {
    std::string method, response;
  } rows[] = {{"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"},
              {"HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
              {"GET", "HTTP/1.1 204 No Content\r\n\r\n"},
              {"GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n"},
              {"GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}};
  for (const auto& row : rows) {
    answer.reset();
    fetch(request(row.method, kUrl), answer);
    reply(row.response);
    ASSERT_TRUE(answer && *answer) << row.response;
    EXPECT_EQ((*answer)->body(), "");
    EXPECT_EQ(client->idle_connections(), 1U);
  }
  EXPECT_EQ(stack.servers.size(), 1U);
}

TEST_F(ClientTest, RefusesWhatCannotBeAsked) {
  const struct {
    ClientRequest request;
    Errc error;
  } rows[] = {{request("no url"), Errc::kBadUrl},
              {request("ftp://10.0.0.1/"), Errc::kUnsupportedScheme},
              {request("https://10.0.0.1/"), Errc::kTlsNotBuilt},
              {request("http://user@10.0.0.1/"), Errc::kBadUrl},
              {request("CONNECT", kUrl), Errc::kBadMethod},
              {request("G T", kUrl), Errc::kBadMethod}};
  for (const auto& row : rows) {
    answer.reset();
    fetch(row.request, answer);
    EXPECT_EQ(error(), make_error_code(row.error)) << row.request.url;
  }
  EXPECT_TRUE(stack.asked.empty());
  EXPECT_EQ(failures(Errc::kBadMethod), 2U);
}

// --- connections that are kept ---

TEST_F(ClientTest, KeepsItsConnection) {
  for (int i = 0; i < 3; ++i) exchange(kUrl, ok("hello"));
  EXPECT_EQ(stack.servers.size(), 1U);
  EXPECT_EQ(client->counters().reused.value(), 2U);
  exchange("http://10.0.0.2/", ok("hello"));
  EXPECT_EQ(stack.servers.size(), 2U);
}

TEST_F(ClientTest, KeepsNoConnectionThatIsNotAtItsEnd) {
  const std::string responses[] = {
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
      "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi!",
      "HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n"};
  for (const std::string& response : responses) {
    exchange(kUrl, response);
    EXPECT_EQ(client->idle_connections(), 0U) << response;
    EXPECT_TRUE(is_closed()) << response;
  }
}

TEST_F(ClientTest, ForgetsAConnectionThatEndsWhileItRests) {
  exchange(kUrl, ok("hello"));
  EXPECT_EQ(client->idle_connections(), 1U);
  end();
  EXPECT_EQ(client->idle_connections(), 0U);
  EXPECT_EQ(client->counters().idle_ended.value(), 1U);
  exchange(kUrl, ok("hello"));
  EXPECT_EQ(stack.servers.size(), 2U);
  reply("HTTP/1.1 408 Too late\r\n\r\n");  // nobody has asked
  EXPECT_EQ(client->idle_connections(), 0U);
  EXPECT_TRUE(is_closed());
}

TEST_F(ClientTest, RepeatsAnIdempotentRequestWhenAKeptConnectionWasDead) {
  for (const char* const method : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}) {
    stack.servers.clear();
    make_client({});
    exchange(kUrl, ok("hello"));
    answer.reset();
    fetch(request(method, kUrl), answer);
    EXPECT_TRUE(received(0).starts_with(method));
    end(0);
    EXPECT_FALSE(answer) << method;
    ASSERT_EQ(stack.servers.size(), 2U) << method;
    EXPECT_TRUE(received(1).starts_with(method));
    reply("HTTP/1.1 204 OK\r\n\r\n");
    ASSERT_TRUE(answer && *answer) << method;
    EXPECT_EQ(client->counters().retried.value(), 1U);
  }
}

TEST_F(ClientTest, RepeatsNothingThatMayHaveBeenDone) {
  const struct {
    std::string method;
    std::string came;  ///< before the end
    Errc error;
  } rows[] = {{"POST", "", Errc::kNoResponse},
              {"PATCH", "", Errc::kNoResponse},
              {"PROPPATCH", "", Errc::kNoResponse},
              {"GET", "H", Errc::kResponseCutShort}};
  for (const auto& row : rows) {
    make_client({});
    exchange(kUrl, ok("hello"));
    const std::size_t before = stack.servers.size();
    answer.reset();
    fetch(request(row.method, kUrl, "x"), answer);
    reply(row.came);
    end();
    EXPECT_EQ(error(), make_error_code(row.error)) << row.method;
    EXPECT_EQ(stack.servers.size(), before);
  }
}

TEST_F(ClientTest, DoesNotRepeatOnAConnectionThatIsNew) {
  fetch(kUrl);
  std::ignore = received();
  end();
  EXPECT_EQ(error(), make_error_code(Errc::kNoResponse));
  EXPECT_EQ(stack.servers.size(), 1U);
}

TEST_F(ClientTest, KeepsNothingWhileItsServerStops) {
  fetch(kUrl);
  table->drain(5s);
  reply(ok("hello"));
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ(client->idle_connections(), 0U);
}

// --- redirects ---

std::string redirect(int status, std::string_view to) {
  return "HTTP/1.1 " + std::to_string(status) + " Elsewhere\r\nLocation: " + std::string(to) +
         "\r\nContent-Length: 5\r\n\r\nthere";
}

TEST_F(ClientTest, FollowsRedirects) {
  fetch("http://10.0.0.1/a/b");
  std::ignore = received();
  reply(redirect(302, "../c?d#e"));
  EXPECT_EQ(first_line(received()), "GET /c?d HTTP/1.1");
  EXPECT_EQ(stack.servers.size(), 1U) << "the body of the redirect was read over";
  reply(redirect(301, "//10.0.0.2:81/x"));
  EXPECT_EQ(stack.asked.back(), "10.0.0.2:81");
  EXPECT_EQ(first_line(received()), "GET /x HTTP/1.1");
  reply(ok("done"));
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->body(), "done");
  EXPECT_EQ((*answer)->url().text(), "http://10.0.0.2:81/x");
  EXPECT_EQ(client->counters().redirected.value(), 2U);
}

TEST_F(ClientTest, SendsABodyAgainWhereTheMethodStays) {
  ClientRequest asked = request("POST", kUrl, "payload");
  asked.fields = {{.name = "Content-Type", .value = "text/plain"}};
  fetch(asked, answer);
  std::ignore = received();
  reply(redirect(307, "/b"));
  const std::string again = received();
  EXPECT_TRUE(again.starts_with("POST /b ")) << again;
  EXPECT_TRUE(again.ends_with("\r\n\r\npayload")) << again;
  reply(redirect(303, "/c"));
  const std::string then = received();
  EXPECT_TRUE(then.starts_with("GET /c ")) << then;
  EXPECT_TRUE(then.ends_with("\r\n\r\n")) << then;
  EXPECT_EQ(then.find("Content-"), std::string::npos) << then;
}

TEST_F(ClientTest, LeavesCredentialsBehindAtAnotherOrigin) {
  ClientRequest asked = request(kUrl);
  asked.fields = {{.name = "Authorization", .value = "secret"},
                  {.name = "cookie", .value = "secret"},
                  {.name = "X-Mine", .value = "1"}};
  fetch(asked, answer);
  std::ignore = received();
  reply(redirect(302, "/same"));
  EXPECT_NE(received().find("Authorization: secret"), std::string::npos);
  reply(redirect(302, "http://10.0.0.1:8080/other-port"));
  const std::string other = received();
  EXPECT_EQ(other.find("secret"), std::string::npos) << other;
  EXPECT_NE(other.find("X-Mine: 1"), std::string::npos);
  reply(redirect(302, kUrl + "back"));
  EXPECT_EQ(received(0).find("secret"), std::string::npos) << "they do not come back";
}

TEST_F(ClientTest, FollowsSoManyRedirectsAndNoMore) {
  for (const std::size_t count : {2U, 3U, 4U}) {
    make_client({.redirects_max = 3});
    answer.reset();
    fetch(kUrl);
    for (std::size_t i = 0; i < count; ++i) reply(redirect(302, "/" + std::to_string(i)));
    if (count <= 3) {
      EXPECT_FALSE(answer);
      reply(ok(""));
      EXPECT_TRUE(answer && *answer);
    } else {
      EXPECT_EQ(error(), make_error_code(Errc::kTooManyRedirects));
      EXPECT_EQ(failures(Errc::kTooManyRedirects), 1U);
    }
  }
}

TEST_F(ClientTest, GivesARedirectThatItShallNotFollow) {
  ClientRequest asked = request(kUrl);
  asked.redirects_max = 0;
  fetch(asked, answer);
  reply(redirect(302, "/b"));
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->status(), 302);
  EXPECT_EQ((*answer)->body(), "there");
  exchange(kUrl, "HTTP/1.1 302 Nowhere\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ((*answer)->status(), 302) << "without a Location";
  exchange(kUrl, "HTTP/1.1 304 No\r\nLocation: /b\r\n\r\n");
  EXPECT_EQ((*answer)->status(), 304);
}

TEST_F(ClientTest, RefusesRedirectsThatLeadNowhere) {
  const struct {
    std::string response;
    Errc error;
  } rows[] = {{redirect(302, "/"), Errc::kRedirectLoop},
              {redirect(302, kUrl + "#x"), Errc::kRedirectLoop},
              {redirect(302, "ftp://10.0.0.1/"), Errc::kBadRedirect},
              {redirect(302, "http://a b/"), Errc::kBadRedirect},
              {redirect(302, "https://10.0.0.1/"), Errc::kTlsNotBuilt},
              {"HTTP/1.1 302 X\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
               Errc::kBadRedirect}};
  for (const auto& row : rows) {
    answer.reset();
    fetch(kUrl);
    reply(row.response);
    EXPECT_EQ(error(), make_error_code(row.error)) << row.response;
  }
}

TEST_F(ClientTest, ReadsOverSoMuchOfARedirectAndNoMore) {
  for (const std::size_t size : {99U, 100U, 101U}) {
    stack.servers.clear();
    make_client({.redirect_body_max = 100});
    answer.reset();
    fetch(kUrl);
    reply("HTTP/1.1 302 X\r\nLocation: /b\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" +
          std::string(size, 'x'));
    EXPECT_EQ(stack.servers.size(), size <= 100 ? 1U : 2U) << size;
    EXPECT_EQ(client->counters().redirect_body_max_hit.value(), size <= 100 ? 0U : 1U);
    reply(ok("x"));
    EXPECT_TRUE(answer && *answer);
  }
}

// --- a proxy ---

TEST_F(ClientTest, AsksAProxyForTheWholeUrl) {
  make_client({.proxy = {.host = "10.9.9.9", .port = 3128, .user = "me", .password = "p:w"}});
  exchange("http://a.example:81/x?y", ok("1"));
  exchange("http://b.example/", ok("2"));
  EXPECT_EQ(stack.asked, std::vector<std::string>{"10.9.9.9:3128"}) << "one connection for both";
}

TEST_F(ClientTest, TellsAProxyWhoItIs) {
  make_client({.proxy = {.host = "10.9.9.9", .port = 80, .user = "me", .password = "p:w"}});
  fetch("http://a.example:81/x?y");
  EXPECT_EQ(received(),
            "GET http://a.example:81/x?y HTTP/1.1\r\nHost: a.example:81\r\n"
            "User-Agent: ssxrver\r\nProxy-Authorization: Basic bWU6cDp3\r\n\r\n");
  reply(redirect(302, "/z"));
  EXPECT_EQ(first_line(received()), "GET http://a.example:81/z HTTP/1.1");
}

}  // namespace
}  // namespace ssx::http::test
