#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "ssxrver/app/app.h"
#include "ssxrver/metrics/registry.h"
#include "ssxrver/metrics/text_format.h"
#include "tests/app/app_fixture.h"

namespace ssx {
namespace {

using http::Request;
using test::RawClient;

class AppMetrics : public test::AppTest {
 protected:
  AppMetrics() { app->count_into(registry); }
  ~AppMetrics() override { app.reset(); }  // before the registry

  [[nodiscard]] std::string text() const { return metrics::to_text(registry.scrape()); }
  static std::string line(std::string_view series, int value) {
    return "\n" + std::string(series) + " " + std::to_string(value) + "\n";
  }
  static bool has(const std::string& text, std::string_view series, int value) {
    return text.find(line(series, value)) != std::string::npos;
  }

  metrics::Registry registry;
};

TEST_F(AppMetrics, AreTheSumOfAllWorkers) {
  app->get("/", [](const Request&) { return "a"; }).listen(0);
  const auto port = start();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ask(port, "/").status, 200);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(port, "/none").status, 404);
  const std::string text = this->text();
  EXPECT_TRUE(has(text, "ssxrver_http_requests_total", 8)) << text;
  EXPECT_TRUE(has(text, "ssxrver_http_answers_total{class=\"2xx\"}", 5)) << text;
  EXPECT_TRUE(has(text, "ssxrver_http_answers_total{class=\"4xx\"}", 3)) << text;
  EXPECT_TRUE(has(text, "ssxrver_accept_accepted_total", 8)) << text;
  EXPECT_TRUE(has(text, "ssxrver_net_opened_total", 8)) << text;
  EXPECT_TRUE(has(text, "ssxrver_tasks_total{end=\"done\"}", 0)) << text;
  EXPECT_TRUE(has(text, "ssxrver_websocket_opened_total", 0)) << text;
}

TEST_F(AppMetrics, CountARefusalByItsReason) {
  app->get("/", [](const Request&) { return "a"; }).listen(0);
  RawClient client = RawClient::tcp(start());
  client.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 400);
  EXPECT_TRUE(has(text(), "ssxrver_http_refused_total{reason=\"no Host field\"}", 1));
}

TEST_F(AppMetrics, AreThereOnceItIsBound) {
  EXPECT_EQ(text(), "");
  app->get("/", [](const Request&) { return "a"; }).listen(0);
  ASSERT_TRUE(app->bind());
  EXPECT_TRUE(has(text(), "ssxrver_http_requests_total", 0));
}

TEST_F(AppMetrics, GoToTheRegistryThatIsGivenAndOutliveTheApp) {
  app->get("/", [](const Request&) { return "a"; }).listen(0);
  const auto port = start();
  EXPECT_EQ(ask(port, "/").status, 200);
  end();
  app.reset();
  const std::string text = this->text();
  EXPECT_TRUE(has(text, "ssxrver_http_requests_total", 1)) << text;
  EXPECT_TRUE(has(text, "ssxrver_net_connections", 0)) << text;
}

TEST_F(AppMetrics, OfAnAppThatCannotStartLetGoOfItsServer) {
  app->get("/", [](const Request&) { return "a"; }).listen(0);
  app->on_start(
      []() -> Task<StartupResult<void>> { co_return fail_start(ExitCode::kConfig, "not today"); });
  EXPECT_FALSE(app->start());
  EXPECT_TRUE(has(text(), "ssxrver_http_requests_total", 0));
}

TEST_F(AppMetrics, AreReadWhileItServes) {
  app->get("/", [](const Request&) { return "a"; }).listen(0);
  const auto port = start();
  std::atomic<bool> is_over{false};
  std::thread reader([this, &is_over] {
    while (!is_over) EXPECT_FALSE(text().empty());
  });
  for (int i = 0; i < 50; ++i) EXPECT_EQ(ask(port, "/").status, 200);
  is_over = true;
  reader.join();
  EXPECT_TRUE(has(text(), "ssxrver_http_requests_total", 50));
}

}  // namespace
}  // namespace ssx
