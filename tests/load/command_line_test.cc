#include "ssxrver/load/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ssx::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Version = WebOptions::Version;

StartupResult<Command> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "ssxrver-bench");
  return parse_command(static_cast<int>(words.size()), words.data());
}
template <class Options>
Options options(const std::vector<const char*>& words) {
  const auto command = parse(words);
  EXPECT_TRUE(command) << command.error().text();
  const auto* found = command ? std::get_if<Options>(&*command) : nullptr;
  EXPECT_NE(found, nullptr);
  return found != nullptr ? *found : Options();
}
HttpOptions http(std::vector<const char*> words) {
  words.insert(words.begin(), "http");
  words.push_back("http://a/");
  return options<HttpOptions>(words);
}
WebOptions web(std::vector<const char*> words) {
  words.insert(words.begin(), "web");
  words.push_back("http://a/");
  return options<WebOptions>(words);
}
std::string printed(const std::vector<const char*>& words) { return options<Printed>(words).text; }
std::string refusal(const std::vector<const char*>& words) {
  const auto command = parse(words);
  return command ? "it was taken" : command.error().text();
}

TEST(BenchCommandLine, HasDefaults) {
  const HttpOptions given = http({});
  EXPECT_EQ(given.url, "http://a/");
  EXPECT_EQ(given.connections, 100U);
  EXPECT_EQ(given.threads, 1U);
  EXPECT_EQ(given.seconds, 10);
  EXPECT_EQ(given.warm_up, 1);
  EXPECT_EQ(given.rate, 0);
}

TEST(BenchCommandLine, TakesEveryOptionOfHttp) {
  const HttpOptions given =
      http({"-c",        "7",  "-t",       "2",         "-d",       "500ms",     "--warm-up",
            "2s",        "-R", "1000",     "-p",        "16",       "--each",    "-m",
            "PUT",       "-H", "A: b",     "-H",        "C: d",     "--data",    "x",
            "--timeout", "1m", "--source", "127.0.0.2", "--source", "127.0.0.3", "--format",
            "json",      "-q", "--file",   "path",      "--idle",   "--pid",     "12"});
  EXPECT_EQ(given.connections, 7U);
  EXPECT_EQ(given.threads, 2U);
  EXPECT_EQ(given.seconds, 0.5);
  EXPECT_EQ(given.warm_up, 2);
  EXPECT_EQ(given.rate, 1000);
  EXPECT_EQ(given.depth, 16U);
  EXPECT_TRUE(given.each);
  EXPECT_EQ(given.method, "PUT");
  EXPECT_THAT(given.fields, ElementsAre("A: b", "C: d"));
  EXPECT_EQ(given.body, "x");
  EXPECT_EQ(given.timeout, 60);
  EXPECT_THAT(given.sources, ElementsAre("127.0.0.2", "127.0.0.3"));
  EXPECT_EQ(given.format, Format::kJson);
  EXPECT_TRUE(given.is_quiet);
  EXPECT_EQ(given.file, "path");
  EXPECT_TRUE(given.idle);
  EXPECT_EQ(given.server, 12U);
}

TEST(BenchCommandLine, TakesEveryOptionOfWebSockets) {
  const auto given = options<WsOptions>({"ws", "ws://a/", "-c", "7", "-p", "4", "--size", "1024",
                                         "--each", "--idle", "--bytes", "9", "--broadcast"});
  EXPECT_EQ(given.url, "ws://a/");
  EXPECT_EQ(given.connections, 7U);
  EXPECT_EQ(given.depth, 4U);
  EXPECT_EQ(given.size, 1024U);
  EXPECT_EQ(given.bytes, 9U);
  EXPECT_TRUE(given.broadcast);
  EXPECT_TRUE(given.each);
  EXPECT_TRUE(given.idle);
  EXPECT_NE(refusal({"ws", "ws://a/", "--size", "1073741825"}), "it was taken");
}

TEST(BenchCommandLine, TakesEveryOptionOfWebbench) {
  EXPECT_EQ(web({}).clients, 1U);
  EXPECT_EQ(web({}).seconds, 30U);
  EXPECT_EQ(web({"-c", "100", "-t", "15"}).clients, 100U);
  EXPECT_EQ(web({"--clients", "5", "--time", "15"}).seconds, 15U);
  EXPECT_TRUE(web({"-f"}).forces);
  EXPECT_TRUE(web({"--force"}).forces);
  EXPECT_TRUE(web({"-r"}).reloads);
  EXPECT_TRUE(web({"--reload"}).reloads);
  EXPECT_EQ(web({"-p", "h:1"}).proxy, "h:1");
  EXPECT_EQ(web({"--proxy", "h:1"}).proxy, "h:1");
  EXPECT_EQ(web({"-9"}).version, Version::kHttp09);
  EXPECT_EQ(web({"--http09"}).version, Version::kHttp09);
  EXPECT_EQ(web({"-1"}).version, Version::kHttp10);
  EXPECT_EQ(web({"-2"}).version, Version::kHttp11);
  EXPECT_EQ(web({"--get"}).method, "GET");
  EXPECT_EQ(web({"--head"}).method, "HEAD");
  EXPECT_EQ(web({"--options"}).method, "OPTIONS");
  EXPECT_EQ(web({"--trace"}).method, "TRACE");
  EXPECT_THAT(printed({"web", "-V"}), HasSubstr("ssxrver-bench "));
  for (const char* help : {"-?", "-h", "--help"})
    EXPECT_THAT(printed({"web", help}), HasSubstr("--http09"));
}

TEST(BenchCommandLine, TcpAndUdpHaveAPlace) {
  const auto tcp = options<TcpOptions>({"tcp", "a:7", "--size", "9", "--idle"});
  EXPECT_EQ(tcp.url, "a:7");
  EXPECT_EQ(tcp.size, 9U);
  EXPECT_TRUE(tcp.idle);
  const auto udp = options<UdpOptions>({"udp", "a:7", "-p", "3", "--pid", "12"});
  EXPECT_EQ(udp.depth, 3U);
  EXPECT_EQ(udp.server, 12U);
}

TEST(BenchCommandLine, PrintsWhatItIs) {
  EXPECT_THAT(printed({}), HasSubstr("web"));
  EXPECT_THAT(printed({"--help"}), HasSubstr("http"));
  const std::string help = printed({"http", "--help"});
  EXPECT_THAT(help, HasSubstr("Usage: ssxrver-bench http [OPTIONS] url\n"));
  EXPECT_THAT(help, HasSubstr("url URL REQUIRED"));
  EXPECT_THAT(help, HasSubstr("-p,--pipeline 1..1024"));
  EXPECT_THAT(help, HasSubstr("--format text|json|csv"));
  EXPECT_THAT(printed({"--version"}), HasSubstr("ssxrver-bench "));
}

TEST(BenchCommandLine, RefusesTheRest) {
  EXPECT_THAT(refusal({"http"}), HasSubstr("url"));
  EXPECT_THAT(refusal({"htp", "http://a/"}), HasSubstr("htp"));
  const std::vector<std::vector<const char*>> wrong{
      {"-c", "0"},  {"-c", "1000001"}, {"-t", "0"},        {"-p", "0"},        {"-p", "1025"},
      {"-d", "0s"}, {"-d", "2 weeks"}, {"-d", "-1s"},      {"--timeout", "0"}, {"-R", "-1"},
      {"--nope"},   {"-c", "many"},    {"--format", "xml"}};
  for (std::vector<const char*> words : wrong) {
    words.insert(words.begin(), {"http", "http://a/"});
    EXPECT_NE(refusal(words), "it was taken") << words[2];
  }
}

}  // namespace
}  // namespace ssx::load
