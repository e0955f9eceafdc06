#include "ssxrver/config/server_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Secrets = ServerConfig::Secrets;

/// The configuration of a text; the test fails when it is refused.
ServerConfig load(const std::string& text, const std::vector<std::string>& overrides = {}) {
  auto config = ServerConfig::parse(text, overrides, "t");
  EXPECT_TRUE(config) << (config ? "" : config.error().text());
  return config ? *std::move(config) : ServerConfig();
}

std::vector<std::string> problems(const std::string& text,
                                  const std::vector<std::string>& overrides = {}) {
  const auto config = ServerConfig::parse(text, overrides, "t");
  EXPECT_FALSE(config);
  if (config) return {};
  EXPECT_EQ(config.error().code(), ExitCode::kConfig);
  return config.error().sentences();
}

// A file as the program of 2021 had it.
constexpr const char* k2021 = R"({
  "port": 4507,
  "address": "127.0.0.1",
  "worker_processes": 4,
  "worker_connections": -1,
  "task_processes": 0,
  "cpu_affinity": "off",
  "http": {
    "max_body_size": 67108864,
    "root_path": "/var/www/html/"
  },
  "log": {
    "level": "INFO",
    "ansync_started": "off",
    "flush_second": 3,
    "roll_size": 67108864,
    "path": "/var/log/ssxrver/",
    "base_name": "ssxrver"
  },
  "mysql": {
    "mysql_started": "off",
    "address": "127.0.0.1",
    "user": "root",
    "password": "123456",
    "database_name": "ttms",
    "port": 0,
    "unix_socket": null,
    "client_flag": 0
  },
  "blocks_ip": []
})";

TEST(ServerConfig, RunsAFileOf2021Unchanged) {
  const auto config = load(k2021);
  EXPECT_THAT(config.warnings, ElementsAre());
  EXPECT_EQ(config.port, 4507);
  EXPECT_EQ(config.workers.count, 4u);
  EXPECT_EQ(config.workers.connections_per_worker, -1);
  EXPECT_EQ(config.tasks.threads, 0u);
  EXPECT_THAT(config.workers.cores, ElementsAre());
  EXPECT_EQ(config.http.body_max, 67108864u);
  EXPECT_EQ(config.files.root, "/var/www/html/");
  EXPECT_EQ(config.log.level, log::Level::kInfo);
  EXPECT_FALSE(config.log.async);
  EXPECT_EQ(config.log.flush, 3s);
  EXPECT_EQ(config.log.path, "/var/log/ssxrver/");
  EXPECT_EQ(config.mysql.password.value, "123456");
  EXPECT_EQ(config.mysql.server.database, "ttms");
  ASSERT_EQ(config.listeners.size(), 1u);
  EXPECT_EQ(config.listeners[0].address, "127.0.0.1");
  EXPECT_EQ(config.listeners[0].port, 4507);
  ASSERT_EQ(config.routes.size(), 1u);
  EXPECT_EQ(config.routes[0].match, "/*");
  EXPECT_EQ(config.routes[0].handler, "static");
  EXPECT_EQ(config.routes[0].files.root, "/var/www/html/");
}

TEST(ServerConfig, KeepsTheCornerCasesOf2021) {
  const auto config = load(R"({"port": -1, "worker_processes": 0, "task_processes": -3,
      "http": {"max_body_size": 0}, "log": {"flush_second": -1, "roll_size": 0}})");
  EXPECT_EQ(config, load("{}"));
  EXPECT_EQ(config.port, 4507);
  EXPECT_EQ(config.workers.count, 4u);
  EXPECT_EQ(config.tasks.threads, 0u);
  EXPECT_EQ(config.files.root, "./");
  EXPECT_EQ(load(R"({"worker_processes": "8", "port": "8080"})").port, 8080);
}

TEST(ServerConfig, LowNumbersMeanTheDefaultOfTheProfile) {
  EXPECT_EQ(load(R"({"profile": "hardened", "http": {"max_body_size": 0}})").http.body_max,
            1u << 20);
}

TEST(ServerConfig, AnAddressThatCannotBeReadIsAnError) {
  EXPECT_THAT(
      problems(R"({"address": "localhost"})"),
      ElementsAre("t:1:13: /address: expected an IPv4 or IPv6 address such as \"127.0.0.1\" "
                  "or \"::1\", or \"*\" for all, found \"localhost\""));
}

TEST(ServerConfig, ReportsEveryKindOfProblemAtOnce) {
  EXPECT_THAT(
      problems("{\n"
               "  \"prot\": 1,\n"
               "  \"port\": \"http\",\n"
               "  \"worker_processes\": 1025,\n"
               "  \"max_body_size\": 1,\n"
               "  \"http\": {\"keepalive\": 1, \"keepalive\": \"on\"},\n"
               "  \"metrics\": {\"enabled\": \"on\"},\n"
               "  \"log\": {\"level\": \"LOUD\"}, // the end\n"
               "}\n",
               {"udp.bacth=7"}),
      ElementsAre(
          "t:2:3: /prot: unknown key; did you mean \"port\"?",
          "t:3:11: /port: expected a number, 1 .. 65535, found \"http\"",
          "t:4:23: /worker_processes: expected a number or \"auto\", 1 .. 1024, found 1025",
          "t:5:3: /max_body_size: unknown key; it belongs into /http",
          "t:6:28: /http/keepalive: duplicate key; it stands in line 6, column 12 already",
          "t:7:26: /metrics/enabled: \"on\" is not in this build; accepted so far: \"off\"",
          "t:8:20: /log/level: expected \"TRACE\", \"DEBUG\", \"INFO\", \"WARN\", \"ERROR\", "
          "\"FATAL\" or \"OFF\", found \"LOUD\"",
          "-g udp.bacth=7: /udp/bacth: unknown key; did you mean \"batch\"?"));
}

TEST(ServerConfig, StrictDecidesWhatStopsTheStart) {
  const std::string slips = R"("colour": 1, "port": true, "port": [], "loop": {"accept": 5})";
  EXPECT_EQ(problems("{" + slips + "}").size(), 4u);
  const auto warned = load("{\"strict\": \"warn\", " + slips + "}");
  EXPECT_EQ(warned.warnings.size(), 4u);
  EXPECT_EQ(warned.port, 4507);
  const auto silent = load("{\"strict\": \"off\", " + slips + "}");
  EXPECT_THAT(silent.warnings, ElementsAre());
  EXPECT_EQ(problems(R"({"strict": "off", "port": 65536})").size(), 1u);
  EXPECT_EQ(problems(R"({"strict": "off", "loop": {"balance": "cpu"}})").size(), 1u);
  EXPECT_EQ(problems(R"({"strict": "lax", "colour": 1})").size(), 2u);
}

TEST(ServerConfig, TheLastOfTwoDuplicatesCountsWhereTheyAreAllowed) {
  EXPECT_EQ(load(R"({"strict": "warn", "port": 1, "port": 2})").port, 2);
}

TEST(ServerConfig, TakesBothSpellingsOfAsync) {
  EXPECT_TRUE(load(R"({"log": {"ansync_started": "on"}})").log.async);
  EXPECT_TRUE(load(R"({"log": {"async_started": true}})").log.async);
  EXPECT_TRUE(load(R"({"log": {"async_started": true, "ansync_started": "on"}})").log.async);
  EXPECT_THAT(
      problems(R"({"log": {"async_started": true, "ansync_started": "off"}})"),
      ElementsAre("t:1:27: /log/async_started: is the same key as \"ansync_started\", which "
                  "has another value"));
  EXPECT_TRUE(load(R"({"log": {"ansync_started": "off"}})", {"log.async_started=on"}).log.async);
  EXPECT_TRUE(load(R"({"log": {"async_started": "off"}})", {"log.ansync_started=on"}).log.async);
}

TEST(ServerConfig, OverridesWinOverTheFile) {
  const auto config = load(R"({"port": 1, "http": {"timeouts": {"idle": "1s"}}})",
                           {"port=2", "http.timeouts.idle=2s", "log.base_name=7",
                            "blocks_ip=[\"10.0.0.0/8\"]", "port=3"});
  EXPECT_EQ(config.port, 3);
  EXPECT_EQ(config.http.timeouts.idle, 2s);
  EXPECT_EQ(config.log.base_name, "7");
  EXPECT_THAT(config.workers.blocked, ElementsAre("10.0.0.0/8"));
}

TEST(ServerConfig, NamesTheOptionThatIsWrong) {
  EXPECT_THAT(problems("{}", {"port=0x50"}),
              ElementsAre("-g port=0x50: /port: expected a number, 1 .. 65535, found \"0x50\""));
  EXPECT_THAT(problems("{}", {"include=[\"a.json\"]"}),
              ElementsAre("-g include=[\"a.json\"]: /include: files are included by files; -g sets "
                          "single keys"));
}

TEST(ServerConfig, ReadsTheEnvironment) {
  ::setenv("SSX_TEST_PORT", "8081", 1);
  const auto config =
      load(R"({"port": "${SSX_TEST_PORT}", "http": {"root_path": "${SSX_TEST_NO:-/srv}"}})");
  ::unsetenv("SSX_TEST_PORT");
  EXPECT_EQ(config.port, 8081);
  EXPECT_EQ(config.files.root, "/srv");
}

TEST(ServerConfig, MakesOneListenerWhenNoneIsNamed) {
  const auto config = load(R"({"address": "::1", "port": 80})");
  ASSERT_EQ(config.listeners.size(), 1u);
  EXPECT_EQ(config.listeners[0].name, "[::1]:80");
  EXPECT_EQ(config.listeners[0].address, "::1");
  EXPECT_EQ(config.listeners[0].port, 80);
  EXPECT_EQ(config.udp.address, "::1");
}

TEST(ServerConfig, ReadsEveryShapeOfListener) {
  const auto config = load(R"({"address": "::1", "port": 80, "listeners": [
      {}, {"address": "*", "port": 0, "name": "web", "reuse_port": "on"},
      {"unix": "@ssx", "mode": "0600"}, {"fd": 3}, {"systemd": "http"}]})");
  ASSERT_EQ(config.listeners.size(), 5u);
  EXPECT_EQ(config.listeners[0].name, "[::1]:80");
  EXPECT_EQ(config.listeners[1].name, "web");
  EXPECT_EQ(config.listeners[1].port, 0);
  EXPECT_TRUE(config.listeners[1].reuse_port);
  EXPECT_EQ(config.listeners[2].unix_path, "@ssx");
  EXPECT_EQ(config.listeners[2].unix_mode, 0600u);
  EXPECT_EQ(config.listeners[2].name, "unix:@ssx");
  EXPECT_EQ(config.listeners[3].inherited_fd, 3);
  EXPECT_EQ(config.listeners[4].systemd_name, "http");
}

TEST(ServerConfig, AListenerHasOnePlace) {
  EXPECT_THAT(problems(R"({"listeners": [{"unix": "a", "port": 1}, {"fd": 3, "address": "::1"},
      {"systemd": "a", "fd": 4}, {"mode": "600"}]})"),
              ElementsAre(HasSubstr("/listeners/0/port: belongs to a listener without \"unix\""),
                          HasSubstr("/listeners/1/address: belongs to a listener without"),
                          HasSubstr("/listeners/2/systemd: belongs to a listener without"),
                          HasSubstr("/listeners/3/mode: belongs to a listener with \"unix\"")));
  EXPECT_THAT(problems(R"({"listeners": [{"unix": ")" + std::string(108, 'a') + R"("}]})"),
              ElementsAre(HasSubstr("at most 107 bytes")));
}

TEST(ServerConfig, RoutesInheritWhatTheyDoNotSay) {
  const auto config = load(R"({"http": {
      "routes": [{"match": "/a/{id}", "methods": ["GET"], "host": "example.org",
                  "max_body_size": "1k", "timeouts": {"write": "1s"}, "etag": "off"},
                 {"handler": "text", "body": "hi\n", "content_type": "text/html", "match": "/t"},
                 {"handler": "status", "status": 503, "match": "/s"}],
      "static": {"index": ["a.htm"]}, "root_path": "/r", "max_body_size": "2k",
      "timeouts": {"body": "7s", "write": "8s"}}})");
  ASSERT_EQ(config.routes.size(), 3u);
  const auto& first = config.routes[0];
  EXPECT_EQ(first.host, "example.org");
  EXPECT_THAT(first.methods, ElementsAre("GET"));
  EXPECT_EQ(first.body_max, 1024u);
  EXPECT_EQ(first.timeouts.write, 1s);
  EXPECT_EQ(first.timeouts.body, 7s);
  EXPECT_EQ(first.files.root, "/r");
  EXPECT_FALSE(first.files.etag);
  EXPECT_TRUE(config.files.etag);
  EXPECT_THAT(first.files.index, ElementsAre("a.htm"));
  EXPECT_EQ(config.routes[1].body_max, 2048u);
  EXPECT_EQ(config.routes[1].answer.body, "hi\n");
  EXPECT_EQ(config.routes[1].answer.content_type, "text/html");
  EXPECT_EQ(config.routes[2].answer.status, 503);
}

TEST(ServerConfig, AnEmptyListOfRoutesStaysEmpty) {
  const auto config = load(R"({"http": {"routes": []}})");
  EXPECT_TRUE(config.routes.empty());
  EXPECT_EQ(load(config.to_json()), config);
}

TEST(ServerConfig, RefusesRoutesThatCannotWork) {
  EXPECT_THAT(
      problems(R"({"http": {"routes": [{"handler": "echo", "root": "x"}, {"handler": "status",
          "match": "/s"}, {"match": "s"}, {"match": "/q", "timeouts": {"idle": "1s"}},
          {"handler": "text", "methods": ["get"]}, {"match": "/p", "handler": "echo"},
          {"match": "/p", "handler": "text"}]}})"),
      ElementsAre("t:1:50: /http/routes/0/root: belongs to the handler \"static\"",
                  "t:1:56: /http/routes/1: the handler \"status\" needs the key \"status\"",
                  HasSubstr("/http/routes/2/match: expected a path such as"),
                  HasSubstr("/http/routes/3/timeouts/idle: unknown key"),
                  HasSubstr("/http/routes/4/methods/0: expected a method: GET"),
                  "t:4:11: /http/routes/6: answers the same requests as route 5"));
}

TEST(ServerConfig, RefusesARingThatIsTooSmallForALine) {
  EXPECT_THAT(problems(R"({"log": {"ring_size": "16k"}})"),
              ElementsAre("t:1:23: /log: \"ring_size\" must be at least 4 x \"line_max\", 32768"));
  load(R"({"log": {"ring_size": "32k"}})");
}

TEST(ServerConfig, TakesCapabilitiesToComeAtTheirDefaultOnly) {
  EXPECT_EQ(load(R"({"loop": {"busy_poll": 0}, "plugins": [],
      "databases": {}, "tls": {}, "mysql": {"mysql_started": false, "tls": "off"}})"),
            load("{}"));
  EXPECT_THAT(
      problems(
          R"({"mysql": {"tables": ["user"]}, "plugins": [{"name": "a",
      "isolation": "helper"}], "databases": {"x": {"driver": "mysql", "tls": "on"}},
      "metrics": {"enabled": "on"}, "tls": {"certificate": 1}})"),
      ElementsAre(HasSubstr("/mysql/tables: [\"user\"] is not in this build"),
                  HasSubstr("/plugins/0/isolation: \"helper\" is not in this build"),
                  HasSubstr("/databases/x/tls: \"on\" is not in this build"),
                  HasSubstr("/metrics/enabled: \"on\" is not in this build"),
                  HasSubstr("/tls/certificate: unknown key; did you mean \"certificates\"?")));
}

constexpr const char* kEveryShape = R"({
  "profile": "hardened", "strict": "warn", "port": 1, "worker_processes": "auto",
  "task_processes": 1, "cpu_affinity": "0-1", "blocks_ip": ["10.0.0.0/8", "::1"], "colour": 1,
  "http": {"root_path": "$${x}", "static": {"mime": {"a": "b/c"}, "dotfiles": "allow"},
           "routes": [{"match": "/t", "handler": "text", "body": "\u0000${SSX_TEST_NO:-}ä"},
                      {"match": "/*", "handler": "static", "root": "/r"}]},
  "udp": {"enabled": true, "rate_per_source": ""},
  "listeners": [{"unix": "/run/x"}, {"fd": 9}, {"systemd": "n"},
                {"port": 0, "proxy_protocol": "on"}],
  "access": {"allow": ["10.0.0.0/8"], "deny": ["10.0.0.1", "2001:db8::/32"],
             "trusted_proxies": ["unix", "127.0.0.1"], "real_ip_header": "forwarded",
             "proxy_protocol": "optional"},
  "limits": {"connections_per_ip": 5, "accept_rate_per_ip": "3/m burst 9", "memory": "512M",
             "requests": [{"match": "/login", "rate": "5/m"}, {"rate": "100/s burst 300"}]},
  "log": {"async_started": "on", "levels": {"net": "TRACE"}, "flush_second": "4"},
  "mysql": {"mysql_started": "on", "password": "pw", "unix_socket": "/run/m", "pool_min": 1},
  "databases": {"notes": {"driver": "sqlite", "file": "n.db"}, "cache": {"driver": "sqlite"},
                "shop": {"driver": "mysql", "password": "x", "query_timeout": 0}},
  "daemon": {"umask": "077", "rlimit_nofile": 64},
  "plugin_defaults": {"search_path": ["/p"], "reload": "watch", "require_sha256": "off"},
  "plugins": [{"name": "a", "depends": ["b"], "config": {"x": ["${SSX_TEST_NO:-$}{"]}},
              {"name": "b", "library": "./b.so", "mount": "/b", "drain_timeout": "1m"}],
  "custom": {"a": [1, 1.5, null, {"b": "${SSX_TEST_NO:-$}{"}], "ansync": "$${"}
})";

TEST(ServerConfig, WhatItPrintsLoadsEqual) {
  for (const char* text : {"{}", k2021, kEveryShape, R"({"profile": "hardened"})"}) {
    const auto config = load(text);
    const std::string printed = config.to_json(Secrets::kShown);
    const auto again = load(printed);
    EXPECT_EQ(again, config) << printed;
    EXPECT_EQ(again.to_json(Secrets::kShown), printed);
  }
}

TEST(ServerConfig, ListenersInheritTheProxyProtocol) {
  const auto config = load(R"({"listeners": [{"port": 1, "proxy_protocol": "off"}, {"port": 2}],
      "access": {"proxy_protocol": "on", "trusted_proxies": ["10.0.0.1"]}})");
  EXPECT_EQ(config.listeners[0].proxy, net::ProxyMode::kOff);
  EXPECT_EQ(config.listeners[1].proxy, net::ProxyMode::kOn);
  const auto made =
      load(R"({"access": {"proxy_protocol": "optional", "trusted_proxies": ["unix"]}})");
  EXPECT_EQ(made.listeners[0].proxy, net::ProxyMode::kOptional);
  EXPECT_EQ(load(made.to_json()), made);
}

TEST(ServerConfig, AListenerForProxiesNeedsSomeThatAreTrusted) {
  for (const char* text : {R"({"access": {"proxy_protocol": "on"}})",
                           R"({"listeners": [{"proxy_protocol": "on"}]})"}) {
    EXPECT_THAT(problems(text), ElementsAre(HasSubstr("needs access.trusted_proxies")));
  }
  EXPECT_EQ(load(R"({"access": {"proxy_protocol": "optional"}})").access.trusted_proxies.size(),
            0u);
}

TEST(ServerConfig, TheEndOfAStalledProcessComesAfterItsWarning) {
  for (const char* text : {R"({"loop": {"stall_warn": "1s", "stall_kill": "999ms"}})",
                           R"({"loop": {"stall_warn": "1s", "stall_kill": "1s"}})",
                           R"({"loop": {"stall_kill": "100ms"}})",
                           R"({"profile": "hardened", "loop": {"stall_warn": "10s"}})"}) {
    EXPECT_THAT(problems(text), ElementsAre(HasSubstr("/loop/stall_kill: must be longer than")));
  }
  EXPECT_EQ(load(R"({"loop": {"stall_warn": "1s", "stall_kill": "1001ms"}})").loop.stall_kill,
            1001ms);
  EXPECT_EQ(load(R"({"loop": {"stall_warn": "0", "stall_kill": "100ms"}})").loop.stall_kill, 100ms);
  EXPECT_EQ(load(R"({"loop": {"stall_warn": "1h", "stall_kill": 0}})").loop.stall_kill, 0ms);
}

TEST(ServerConfig, ReadsTheLimitsOfAddresses) {
  const auto config = load(R"({"limits": {"connections_per_ip": "5", "memory": "64M",
      "accept_rate_per_ip": "10/s burst 20", "requests": [{"rate": "60/m", "match": "/api/*"}]}})");
  EXPECT_EQ(config.access.connections_per_ip, 5u);
  EXPECT_EQ(config.access.accept_rate_per_ip, (net::Rate{10, 1s, 20}));
  EXPECT_EQ(config.memory.max, 64 << 20);
  ASSERT_EQ(config.http.request_rates.size(), 1u);
  EXPECT_EQ(config.http.request_rates[0].match, "/api/*");
  EXPECT_EQ(config.http.request_rates[0].rate, (net::Rate{60, 60s, 60}));
  EXPECT_EQ(
      load(R"({"profile": "hardened", "limits": {"requests": []}})").http.request_rates.size(), 0u);
}

TEST(ServerConfig, RefusesAddressesAndPathsThatCannotBeMeant) {
  EXPECT_THAT(problems(R"({"access": {"allow": ["10.0.0.0/33"], "deny": ["x"],
                           "trusted_proxies": ["unix:"]}})"),
              testing::SizeIs(3));
  for (const char* match : {"", "api", "/a*", "/*/b", "/a/*b", "*"}) {
    EXPECT_EQ(problems(R"({"limits": {"requests": [{"match": ")" + std::string(match) + R"("}]}})")
                  .size(),
              1u)
        << match;
  }
}

// Their names are made of them, and are longer still.
TEST(ServerConfig, PrintsTheLongestListenersSoThatTheyLoad) {
  const auto config = load(R"({"listeners": [{"unix": ")" + std::string(107, 'u') +
                           R"("}, {"systemd": ")" + std::string(255, 's') + R"("}]})");
  ASSERT_EQ(config.listeners.size(), 2u);
  EXPECT_EQ(config.listeners[1].name, "systemd:" + std::string(255, 's'));
  EXPECT_EQ(load(config.to_json()), config);
}

TEST(ServerConfig, MasksSecretsAndPrintsTheWayToThem) {
  const test::TempDir folder;
  const auto path = folder.write("pw", "hidden\n");
  ::chmod(path.c_str(), 0600);
  const auto literal = load(R"({"mysql": {"password": "hidden"}})");
  EXPECT_THAT(literal.to_json(), Not(HasSubstr("hidden")));
  EXPECT_THAT(literal.to_json(), HasSubstr("\"password\": \"********\""));
  EXPECT_THAT(literal.to_json(Secrets::kShown), HasSubstr("\"password\": \"hidden\""));
  EXPECT_THAT(load("{}").to_json(), HasSubstr("\"password\": \"\""));
  const auto from_file = load("{\"mysql\": {\"password\": {\"file\": \"" + path + "\"}}}");
  EXPECT_EQ(from_file.mysql.password.value, "hidden");
  EXPECT_THAT(from_file.to_json(), Not(HasSubstr("hidden")));
  EXPECT_EQ(load(from_file.to_json()), from_file);
}

TEST(ServerConfig, WarnsOfAFileWithASecretThatOthersMayRead) {
  const test::TempDir folder;
  const auto path = folder.write("c.json", R"({"mysql": {"password": "pw"}})");
  ::chmod(path.c_str(), 0644);
  const auto config = ServerConfig::load(path);
  ASSERT_TRUE(config);
  EXPECT_THAT(config->warnings, ElementsAre(path + ":1:24: /mysql/password: \"" + path +
                                            "\" holds a secret and others may read it: chmod 600"));
  EXPECT_FALSE(ServerConfig::load(path, {"profile=hardened"}));
  ::chmod(path.c_str(), 0600);
  EXPECT_THAT(ServerConfig::load(path)->warnings, ElementsAre());
}

TEST(ServerConfig, SaysThatTheFileIsMissing) {
  const auto config = ServerConfig::load("/nonexistent/ssxrver.json");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code(), ExitCode::kNoInput);
  EXPECT_THAT(config.error().text(), HasSubstr("name another with -f FILE"));
}

TEST(ServerConfig, MakesPathsAbsolute) {
  auto config = load(R"({"http": {"root_path": "html/", "routes": [{"root": "r"}]},
      "log": {"path": "logs"}, "daemon": {"pid_file": "p"},
      "listeners": [{"unix": "s"}, {"unix": "@a"}]})");
  config.make_paths_absolute("/srv");
  EXPECT_EQ(config.files.root, "/srv/html/");
  EXPECT_EQ(config.routes[0].files.root, "/srv/r");
  EXPECT_EQ(config.log.path, "/srv/logs");
  EXPECT_EQ(config.daemon.pid_file, "/srv/p");
  EXPECT_EQ(config.listeners[0].unix_path, "/srv/s");
  EXPECT_EQ(config.listeners[1].unix_path, "@a");
  EXPECT_EQ(config.http.spool_path, "");
  config.make_paths_absolute("/other/");
  EXPECT_EQ(config.files.root, "/srv/html/");
}

TEST(ServerConfig, LingersAsLongAsHttpSays) {
  EXPECT_EQ(load(R"({"http": {"timeouts": {"linger": "3s"}}})").connections.linger_timeout, 3s);
}

TEST(ServerConfig, BindsTheAccessLog) {
  const auto config = load(R"({"log": {"ansync_started": "on", "line_max": 1024, "time": "utc",
      "access": {"enabled": "on", "path": "x/access", "format": "$status $$", "sample": 0.5,
                 "exclude": ["/healthz", "/static/*"]}}})");
  http::AccessLogOptions expected;
  expected.enabled = expected.utc = true;
  expected.path = "x/access";
  expected.format = "$status $$";
  expected.sample = 0.5;
  expected.exclude = {"/healthz", "/static/*"};
  expected.line_max = 1024;
  EXPECT_EQ(config.access_log, expected);
  EXPECT_EQ(load(config.to_json()), config);
  EXPECT_FALSE(load("{}").access_log.enabled);
}

TEST(ServerConfig, RefusesAnAccessLogThatCannotWork) {
  const auto problem = [](const std::string& access, const std::string& log) {
    const auto all = problems(R"({"log": {)" + log + R"("access": )" + access + "}}");
    return all.size() == 1 ? all[0].substr(all[0].find("/log")) : std::to_string(all.size());
  };
  const std::string async = R"("ansync_started": "on", )";
  EXPECT_EQ(
      problem(R"({"enabled": "on"})", ""),
      "/log/access: needs \"ansync_started\": \"on\": its lines are written by the log's thread");
  EXPECT_EQ(problem(R"({"enabled": "on", "path": "ssxrver"})", async),
            "/log/access: \"path\" must not be the log's own file, \"ssxrver\"");
  EXPECT_EQ(
      problem(R"({"enabled": "on", "path": "/logs/ssxrver"})", async + R"("path": "/logs/", )"),
      "/log/access: \"path\" must not be the log's own file, \"ssxrver\"");
  EXPECT_EQ(problem(R"({"enabled": "on", "format": "json"})", async + R"("line_max": 256, )"),
            "/log/access: a line of this format does not fit \"line_max\", 256");
  EXPECT_EQ(problem(R"({"path": "a/"})", ""),
            "/log/access/path: expected a path that ends in a file's name, found \"a/\"");
  EXPECT_EQ(problem(R"({"exclude": ["x"]})", ""),
            "/log/access/exclude/0: expected a path such as \"/\", \"/users/{id}\" or "
            "\"/files/*\", found \"x\"");
  // Off, the rest may be whatever it likes.
  load(R"({"log": {"line_max": 256, "access": {"path": "ssxrver", "format": "json"}}})");
}

}  // namespace
}  // namespace ssx
