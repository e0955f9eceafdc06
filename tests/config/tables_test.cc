// Every number of every key at both ends, against a list that is written down here a second time.
#include "ssxrver/config/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "ssxrver/base/strings.h"

namespace ssx::config {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kHuge = std::int64_t{1} << 62;
constexpr std::int64_t kTera = std::int64_t{1} << 40;

enum class Unit : std::uint8_t { kNone, kMilliseconds, kSeconds, kBareSeconds };

struct Bound {
  const char* pointer;
  std::int64_t min;
  std::int64_t max;
  std::optional<std::int64_t> special = std::nullopt;
  Unit unit = Unit::kNone;
  bool low_means_default = false;
};

constexpr auto kMs = Unit::kMilliseconds;
constexpr std::int64_t kDay = 86400000;

const Bound kBounds[] = {
    {"/config_version", 2, 2},
    {"/port", 1, 65535, {}, Unit::kNone, true},
    {"/worker_processes", 1, 1024, {}, Unit::kNone, true},
    {"/worker_connections", 1, 10000000, -1},
    {"/task_processes", 0, 1024, {}, Unit::kNone, true},
    {"/http/max_body_size", 1, kHuge, {}, Unit::kNone, true},
    {"/http/max_header_size", 256, 65536},
    {"/http/max_header_count", 1, 256},
    {"/http/max_uri_length", 1, 65536},
    {"/http/max_path_length", 1, 65536},
    {"/http/max_path_segments", 1, 65536},
    {"/http/max_request_line", 64, 65536},
    {"/http/max_header_line", 64, 65536},
    {"/http/max_chunk_extension", 0, 65536},
    {"/http/max_trailer_size", 0, 65536},
    {"/http/max_connection_age", 0, kDay, {}, kMs},
    {"/http/upload_tmp_total", 0, kHuge},
    {"/http/multipart/max_parts", 1, 65536},
    {"/http/multipart/max_part_header", 64, 64 << 10},
    {"/http/keepalive_requests", 1, 1000000000},
    {"/http/pipeline_limit", 1, 1024},
    {"/http/body_spool_threshold", 0, kHuge},
    {"/http/timeouts/header", 0, kDay, {}, kMs},
    {"/http/timeouts/body", 0, kDay, {}, kMs},
    {"/http/timeouts/body_min_rate", 0, 1 << 30},
    {"/http/timeouts/body_min_rate_grace", 1000, 300000, {}, kMs},
    {"/http/timeouts/write", 0, kDay, {}, kMs},
    {"/http/timeouts/write_min_rate", 0, 1 << 30},
    {"/http/timeouts/write_min_rate_grace", 1000, 300000, {}, kMs},
    {"/http/timeouts/idle", 0, kDay, {}, kMs},
    {"/http/timeouts/first_byte", 0, kDay, {}, kMs},
    {"/http/timeouts/linger", 0, 300000, {}, kMs},
    {"/http/timeouts/handler", 0, kDay, {}, kMs},
    {"/http/static/autoindex_max", 1, 100000},
    {"/http/static/sendfile_min", 0, 16 << 20},
    {"/http/static/ranges_max", 1, 64},
    {"/http/static/open_file_cache/max", 0, 1 << 20},
    {"/http/static/open_file_cache/ttl", 0, 3600000, {}, kMs},
    {"/http/static/open_file_cache/memory_max", 0, 1 << 30},
    {"/http/static/open_file_cache/small_file_max", 0, 16 << 20},
    {"/http/compression/min_size", 0, 1 << 30},
    {"/http/compression/level", 1, 9},
    {"/http/compression/encoders_max", 1, 65536},
    {"/http/compression/request_ratio_max", 1, 1 << 20},
    {"/http/cors/max_age", 0, 86400},
    {"/http/routes/0/max_body_size", 0, kHuge},
    {"/http/routes/0/timeouts/body", 0, kDay, {}, kMs},
    {"/http/routes/0/timeouts/body_min_rate", 0, 1 << 30},
    {"/http/routes/0/timeouts/body_min_rate_grace", 1000, 300000, {}, kMs},
    {"/http/routes/0/timeouts/write", 0, kDay, {}, kMs},
    {"/http/routes/0/timeouts/write_min_rate", 0, 1 << 30},
    {"/http/routes/0/timeouts/write_min_rate_grace", 1000, 300000, {}, kMs},
    {"/http/routes/0/timeouts/handler", 0, kDay, {}, kMs},
    {"/http/routes/1/autoindex_max", 1, 100000},
    {"/http/routes/1/sendfile_min", 0, 16 << 20},
    {"/http/routes/1/ranges_max", 1, 64},
    {"/http/routes/1/open_file_cache/max", 0, 1 << 20},
    {"/http/routes/1/open_file_cache/ttl", 0, 3600000, {}, kMs},
    {"/http/routes/1/open_file_cache/memory_max", 0, 1 << 30},
    {"/http/routes/1/open_file_cache/small_file_max", 0, 16 << 20},
    {"/http/routes/0/status", 200, 599},
    {"/http/routes/2/max_message_size", 1, kTera},
    {"/http/routes/2/max_frame_size", 1, kTera},
    {"/http/routes/2/max_fragments", 1, 1000000000},
    {"/http/routes/2/max_empty_fragments", 0, 1000000000},
    {"/http/routes/2/assembly_timeout", 0, kDay, {}, kMs},
    {"/http/routes/2/send_stall_timeout", 0, kDay, {}, kMs},
    {"/http/routes/2/send_fragment_size", 0, kTera},
    {"/http/routes/2/read_buffer", 0, 16 << 20},
    {"/http/routes/2/ping_interval", 0, kDay, {}, kMs},
    {"/http/routes/2/pong_timeout", 0, kDay, {}, kMs},
    {"/http/routes/2/idle_timeout", 0, kDay, {}, kMs},
    {"/http/routes/2/max_lifetime", 0, kDay, {}, kMs},
    {"/http/routes/2/handshake_timeout", 0, kDay, {}, kMs},
    {"/http/routes/2/close_timeout", 1, kDay, {}, kMs},
    {"/http/routes/2/read_timeout", 0, kDay, {}, kMs},
    {"/http/routes/2/max_subscriptions", 0, 1 << 20},
    {"/http/routes/2/backpressure/high", 1, kTera},
    {"/http/routes/2/backpressure/low", 0, kTera},
    {"/http/routes/2/backpressure/max", 1, kTera},
    {"/http/routes/2/deflate/server_max_window_bits", 9, 15},
    {"/http/routes/2/deflate/client_max_window_bits", 9, 15},
    {"/http/routes/2/deflate/level", 1, 9},
    {"/http/routes/2/deflate/mem_level", 1, 9},
    {"/http/routes/2/deflate/min_size", 0, kTera},
    {"/http/routes/2/deflate/max_ratio", 1, 1 << 20},
    {"/http/routes/2/delay_write/max_messages", 1, 65536},
    {"/http/routes/2/delay_write/max_delay", 1, 10000, {}, kMs},
    {"/http/routes/2/delay_write/init_buffer", 256, 16 << 20},
    {"/http/routes/3/history", 0, 1000},
    {"/websocket/max_message_size", 1, kTera},
    {"/websocket/max_frame_size", 1, kTera},
    {"/websocket/max_fragments", 1, 1000000000},
    {"/websocket/max_empty_fragments", 0, 1000000000},
    {"/websocket/assembly_timeout", 0, kDay, {}, kMs},
    {"/websocket/send_stall_timeout", 0, kDay, {}, kMs},
    {"/websocket/send_fragment_size", 0, kTera},
    {"/websocket/read_buffer", 0, 16 << 20},
    {"/websocket/ping_interval", 0, kDay, {}, kMs},
    {"/websocket/pong_timeout", 0, kDay, {}, kMs},
    {"/websocket/idle_timeout", 0, kDay, {}, kMs},
    {"/websocket/max_lifetime", 0, kDay, {}, kMs},
    {"/websocket/handshake_timeout", 0, kDay, {}, kMs},
    {"/websocket/close_timeout", 1, kDay, {}, kMs},
    {"/websocket/read_timeout", 0, kDay, {}, kMs},
    {"/websocket/max_subscriptions", 0, 1 << 20},
    {"/websocket/backpressure/high", 1, kTera},
    {"/websocket/backpressure/low", 0, kTera},
    {"/websocket/backpressure/max", 1, kTera},
    {"/websocket/deflate/server_max_window_bits", 9, 15},
    {"/websocket/deflate/client_max_window_bits", 9, 15},
    {"/websocket/deflate/level", 1, 9},
    {"/websocket/deflate/mem_level", 1, 9},
    {"/websocket/deflate/min_size", 0, kTera},
    {"/websocket/deflate/max_ratio", 1, 1 << 20},
    {"/websocket/delay_write/max_messages", 1, 65536},
    {"/websocket/delay_write/max_delay", 1, 10000, {}, kMs},
    {"/websocket/delay_write/init_buffer", 256, 16 << 20},
    {"/websocket/backpressure/global_max", 1, kTera},
    {"/websocket/deflate/memory_budget", 0, kTera},
    {"/udp/port", 0, 65535},
    {"/udp/max_packet", 64, 65535},
    {"/udp/batch", 1, 1024},
    {"/udp/reply_ratio", 0, 100},
    {"/listeners/0/fd", 3, 1 << 20},
    {"/listeners/1/port", 0, 65535},
    {"/tcp/keepalive_idle", 1, 32767, {}, Unit::kSeconds},
    {"/tcp/keepalive_interval", 1, 32767, {}, Unit::kSeconds},
    {"/tcp/keepalive_count", 1, 127},
    {"/tcp/backlog", 1, 65535},
    {"/tcp/fastopen", 0, 65535},
    {"/plugin_defaults/generations_max", 2, 1024},
    {"/tcp/defer_accept", 1, 32767, 0, Unit::kSeconds},
    {"/tcp/user_timeout", 0, kDay, {}, kMs},
    {"/tcp/send_buffer", 0, 1 << 30},
    {"/tcp/recv_buffer", 0, 1 << 30},
    {"/tcp/notsent_lowat", 0, 1 << 30},
    {"/loop/max_events", 1, 65536},
    {"/loop/max_accept_batch", 1, 4096},
    {"/loop/stall_warn", 0, 3600000, {}, kMs},
    {"/loop/stall_kill", 100, 3600000, 0, kMs},
    {"/tasks/queue_limit", 1, 16777216},
    {"/log/flush_second", 1, 3600, {}, Unit::kBareSeconds, true},
    {"/log/roll_size", 4096, std::int64_t{1} << 50, {}, Unit::kNone, true},
    {"/log/line_max", 256, 65536},
    {"/log/max_files", 0, 1000000},
    {"/log/max_age_days", 0, 36500},
    {"/log/total_size", 0, std::int64_t{1} << 50},
    {"/log/buffers", 2, 1024},
    {"/log/ring_size", 1024, 64 << 20},
    {"/mysql/port", 0, 65535},
    {"/mysql/client_flag", 0, 4294967295},
    {"/mysql/pool_min", 0, 1024},
    {"/mysql/pool_max", 1, 1024},
    {"/mysql/waiters_max", 0, 1 << 20},
    {"/mysql/acquire_timeout", 1, 3600000, {}, kMs},
    {"/mysql/connect_timeout", 1, 3600000, {}, kMs},
    {"/mysql/idle_timeout", 0, kDay, {}, kMs},
    {"/mysql/max_lifetime", 0, kDay, {}, kMs},
    {"/mysql/ping_after", 0, kDay, {}, kMs},
    {"/mysql/query_timeout", 0, kDay, {}, kMs},
    {"/mysql/statement_cache", 0, 4096},
    {"/mysql/rows_max", 1, 4294967295},
    {"/mysql/bytes_max", 4096, 1 << 30},
    {"/mysql/statement_bytes_max", 1024, 1 << 30},
    {"/databases/0/port", 0, 65535},
    {"/databases/0/client_flag", 0, 4294967295},
    {"/databases/0/busy_timeout", 0, 3600000, {}, kMs},
    {"/databases/0/pool_min", 0, 1024},
    {"/databases/0/pool_max", 1, 1024},
    {"/databases/0/waiters_max", 0, 1 << 20},
    {"/databases/0/acquire_timeout", 1, 3600000, {}, kMs},
    {"/databases/0/connect_timeout", 1, 3600000, {}, kMs},
    {"/databases/0/idle_timeout", 0, kDay, {}, kMs},
    {"/databases/0/max_lifetime", 0, kDay, {}, kMs},
    {"/databases/0/ping_after", 0, kDay, {}, kMs},
    {"/databases/0/query_timeout", 0, kDay, {}, kMs},
    {"/databases/0/statement_cache", 0, 4096},
    {"/databases/0/rows_max", 1, 4294967295},
    {"/databases/0/bytes_max", 4096, 1 << 30},
    {"/databases/0/statement_bytes_max", 1024, 1 << 30},
    {"/limits/connections", 1, 10000000, -1},
    {"/limits/overload_percent", 1, 100},
    {"/limits/connections_per_ip", 0, 10000000},
    {"/limits/memory", 0, std::int64_t{1} << 50, -1},
    {"/plugin_defaults/drain_timeout", 0, kDay, {}, kMs},
    {"/plugins/0/drain_timeout", 0, kDay, {}, kMs},
    {"/daemon/rlimit_nofile", 64, 1 << 30, 0},
    {"/daemon/shutdown_timeout", 0, kDay, {}, kMs},
    {"/daemon/drain_idle_grace", 0, kDay, {}, kMs},
};

/// A file in which each of the keys above may be set.
constexpr const char* kBase = R"({
  "http": {"routes": [{"match": "/t", "handler": "text"}, {"match": "/*"},
                      {"match": "/w", "handler": "websocket:sink"},
                      {"match": "/c", "handler": "websocket:chat"}]},
  "websocket": {"max_message_size": "1024G", "max_frame_size": 1},
  "listeners": [{"fd": 3}, {"address": "127.0.0.1"}],
  "log": {"line_max": 256},
  "access": {"trusted_proxies": ["10.0.0.1"]},
  "loop": {"stall_warn": "99ms"},
  "mysql": {"pool_max": 1024},
  "databases": {"0": {"driver": "mysql", "pool_max": 1024}},
  "plugins": [{"name": "a", "enabled": "off"}]
})";

std::string spell(const Bound& bound, std::int64_t number) {
  const auto digits = std::to_string(number);
  if (bound.unit == Unit::kMilliseconds) return "\"" + digits + "ms\"";
  if (bound.unit == Unit::kSeconds) return "\"" + digits + "s\"";
  return digits;
}

StartupResult<ServerConfig> load(const Bound& bound, std::int64_t number) {
  std::vector<std::string> overrides{std::string(bound.pointer) + "=" + spell(bound, number)};
  if (std::string_view(bound.pointer).ends_with("/busy_timeout")) {
    overrides.insert(overrides.end(), {"databases.0.driver=sqlite", "tasks.overflow=run_on_loop"});
  }
  return ServerConfig::parse(kBase, overrides);
}

const json::Value* find(const json::Value& root, std::string_view pointer) {
  const json::Value* at = &root;
  for_each_part(pointer.substr(1), '/', [&at](std::string_view step) {
    const auto index = parse_uint(step);
    if (at == nullptr) return;
    at = index && at->array() != nullptr ? &at->array()->at(*index) : at->find(step);
  });
  return at;
}

/// Accepted, and -T prints just this value.
void expect_taken(const Bound& bound, std::int64_t number) {
  const auto config = load(bound, number);
  ASSERT_TRUE(config) << bound.pointer << " " << number << ": " << config.error().text();
  const auto printed = json::parse(config->to_json())->root;
  const json::Value* value = find(printed, bound.pointer);
  ASSERT_NE(value, nullptr) << bound.pointer;
  const auto wanted = json::parse(spell(bound, number))->root;
  EXPECT_TRUE(says_the_same(*value, wanted))
      << bound.pointer << " " << number << " printed as " << json::write(*value);
}

void expect_refused(const Bound& bound, std::int64_t number) {
  const auto config = load(bound, number);
  ASSERT_FALSE(config) << bound.pointer << " " << number;
  EXPECT_EQ(config.error().sentences().size(), 1u);
  EXPECT_THAT(config.error().text(), HasSubstr(std::string(bound.pointer) + ": expected "));
}

void expect_default(const Bound& bound, std::int64_t number) {
  const auto config = load(bound, number);
  ASSERT_TRUE(config) << bound.pointer << " " << number;
  EXPECT_EQ(*config, *ServerConfig::parse(kBase)) << bound.pointer << " " << number;
}

TEST(ConfigTables, TakeEachNumberAtBothEnds) {
  for (const Bound& bound : kBounds) {
    expect_taken(bound, bound.min);
    expect_taken(bound, bound.max);
    expect_refused(bound, bound.max + 1);
    if (bound.special) expect_taken(bound, *bound.special);
  }
}

TEST(ConfigTables, RefuseWhatIsBelow) {
  for (const Bound& bound : kBounds) {
    const std::int64_t below = bound.min - 1;
    if (bound.low_means_default) {
      expect_default(bound, std::min<std::int64_t>(below, 0));
      expect_default(bound, -1);
      if (below > 0) expect_refused(bound, below);
    } else if (below != bound.special) {
      expect_refused(bound, below);
    }
    if (bound.special) expect_refused(bound, *bound.special - 1);
  }
}

TEST(ConfigTables, HaveNoNumberThatIsNotTriedHere) {
  std::set<std::string> tried;
  for (const Bound& bound : kBounds) {
    std::string pointer;
    for_each_part(std::string_view(bound.pointer).substr(1), '/',
                  [&pointer](std::string_view step) {
                    if (!parse_uint(step)) pointer += "/" + std::string(step);
                  });
    tried.insert(pointer);
  }
  std::vector<std::string> missing;
  const auto look = [&](const auto& self, const Facts& facts, const std::string& pointer) -> void {
    for (const Facts& child : facts.children) {
      const std::string name = pointer + "/" + child.name;
      if (child.numbers && tried.count(name) == 0) missing.push_back(name);
      self(self, child, name);
    }
  };
  look(look, server_facts(), "");
  EXPECT_THAT(missing, IsEmpty());
}

struct Word {
  const char* pointer;
  std::vector<const char*> good;
  std::vector<const char*> later;
};

TEST(ConfigTables, TakeEachWordOfEachChoice) {
  const std::vector<const char*> levels{"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", "OFF"};
  const Word words[] = {
      {"/profile", {"default", "hardened"}, {}},
      {"/strict", {"error", "warn", "off"}, {}},
      {"/loop/accept", {"thread", "reuseport", "exclusive"}, {}},
      {"/loop/balance", {"round_robin", "least_connections"}, {"cpu"}},
      {"/loop/transport", {"epoll"}, {"io_uring", "userspace"}},
      {"/tasks/overflow", {"reject", "block", "run_on_loop"}, {}},
      {"/limits/overload_action", {"pause", "reject"}, {}},
      {"/udp/handler", {"echo"}, {"plugin:x"}},
      {"/access/real_ip_header", {"X-Forwarded-For", "Forwarded", "X-Real-IP", "off"}, {}},
      {"/access/proxy_protocol", {"off", "on", "optional"}, {}},
      {"/listeners/1/proxy_protocol", {"off", "on", "optional"}, {}},
      {"/http/static/dotfiles", {"deny", "allow"}, {}},
      {"/http/routes/0/run_on", {"loop"}, {}},
      {"/http/routes/1/handler", {"static", "echo", "plugin:a"}, {}},
      {"/http/routes/2/handler",
       {"websocket:echo", "websocket:sink", "websocket:broadcast", "websocket:plugin:a"},
       {}},
      {"/http/routes/3/handler", {"websocket:chat"}, {}},
      {"/websocket/parse_mode", {"window", "stream"}, {}},
      {"/websocket/deflate/mode", {"off", "receive", "both"}, {}},
      {"/websocket/backpressure/policy",
       {"callback", "drop_newest", "drop_oldest", "latest", "close"},
       {}},
      {"/log/level", levels, {}},
      {"/log/flush_level", levels, {}},
      {"/log/format", {"text", "json"}, {}},
      {"/log/time", {"local", "utc"}, {}},
      {"/log/overflow", {"drop_newest", "drop_oldest", "block"}, {}},
      {"/mysql/on_unavailable", {"retry", "fail"}, {}},
      {"/databases/0/on_unavailable", {"retry", "fail"}, {}},
      {"/databases/0/driver", {"mysql"}, {}},
      {"/plugin_defaults/reload", {"manual", "watch", "off"}, {}},
      {"/plugin_defaults/isolation", {"in_process"}, {"helper", "static"}},
      {"/plugins/0/reload", {"manual", "watch", "off"}, {}},
      {"/plugins/0/isolation", {"in_process"}, {"helper", "static"}},
  };
  for (const Word& word : words) {
    const auto load_word = [&word](const char* value) {
      return ServerConfig::parse(kBase, {std::string(word.pointer) + "=" + value});
    };
    for (const char* good : word.good) {
      const auto config = load_word(good);
      ASSERT_TRUE(config) << word.pointer << " " << good << config.error().text();
      const auto printed = json::parse(config->to_json())->root;
      EXPECT_EQ(*find(printed, word.pointer), json::Value(good)) << word.pointer;
    }
    for (const char* later : word.later) {
      const auto config = load_word(later);
      ASSERT_FALSE(config) << word.pointer << " " << later;
      EXPECT_THAT(config.error().text(), HasSubstr("is not in this build"));
    }
    EXPECT_FALSE(load_word("no_such_word")) << word.pointer;
  }
}

TEST(ConfigTables, HardenAllThatTheLimitsSay) {
  const auto hard = profile_defaults(ServerConfig::Profile::kHardened);
  EXPECT_EQ(hard.http.parser.request_line_max, 4096u);
  EXPECT_EQ(hard.http.parser.path_max, 1024u);
  EXPECT_EQ(hard.http.parser.segments_max, 32u);
  EXPECT_EQ(hard.http.parser.field_name_max, 128u);
  EXPECT_EQ(hard.http.parser.field_count_max, 64u);
  EXPECT_EQ(hard.http.parser.leading_crlf_max, 0u);
  EXPECT_EQ(hard.http.parser.chunk_extension_max, 0u);
  EXPECT_EQ(hard.http.parser.trailer_max, 0u);
  EXPECT_EQ(hard.http.parser.chunk_overhead_base, 16384u);
  EXPECT_EQ(hard.http.parser.chunk_overhead_ratio, 1u);
  EXPECT_EQ(hard.http.multipart.parts_max, 32u);
  EXPECT_EQ(hard.http.multipart.part_header_max, 1024u);
  EXPECT_EQ(hard.http.multipart.part_fields_max, 8u);
  EXPECT_EQ(hard.http.query_params_max, 128u);
  EXPECT_EQ(hard.http.cookie_pairs_max, 64u);
  EXPECT_EQ(hard.http.pipeline_limit, 8u);
  EXPECT_EQ(hard.http.keepalive_requests, 1000u);
  EXPECT_EQ(hard.http.body_max, 1u << 20);
  EXPECT_EQ(hard.http.upload_tmp_total, 256u << 20);
  EXPECT_EQ(hard.http.max_connection_age, std::chrono::minutes(10));
  EXPECT_EQ(hard.http.timeouts.first_byte, std::chrono::seconds(5));
  EXPECT_EQ(hard.http.timeouts.header, std::chrono::seconds(5));
  EXPECT_EQ(hard.http.timeouts.body, std::chrono::seconds(10));
  EXPECT_EQ(hard.http.timeouts.body_min_rate, 4096u);
  EXPECT_EQ(hard.http.timeouts.body_min_rate_grace, std::chrono::seconds(5));
  EXPECT_EQ(hard.http.timeouts.write, std::chrono::seconds(10));
  EXPECT_EQ(hard.http.timeouts.write_min_rate, 4096u);
  EXPECT_EQ(hard.http.timeouts.write_min_rate_grace, std::chrono::seconds(10));
  EXPECT_EQ(hard.http.timeouts.idle, std::chrono::seconds(15));
  EXPECT_EQ(hard.http.timeouts.linger, std::chrono::seconds(1));
  EXPECT_EQ(hard.http.timeouts.handler, std::chrono::seconds(10));
  EXPECT_EQ(hard.files.ranges_max, 1u);
  EXPECT_EQ(hard.connections.output_high, 256u << 10);
  EXPECT_EQ(hard.connections.output_low, 64u << 10);
  EXPECT_EQ(hard.connections.linger_bytes, 16u << 10);
  EXPECT_EQ(hard.loop.stall_warn, std::chrono::milliseconds(50));
  EXPECT_EQ(hard.loop.stall_kill, std::chrono::seconds(10));
  EXPECT_EQ(hard.workers.max_accept_batch, 16u);
  EXPECT_EQ(hard.workers.connections_auto_max, 20000);
  EXPECT_EQ(hard.access.connections_per_ip, 64u);
  EXPECT_EQ(hard.access.accept_rate_per_ip, (net::Rate{50, std::chrono::seconds(1), 100}));
  ASSERT_EQ(hard.http.request_rates.size(), 1u);
  EXPECT_EQ(hard.http.request_rates[0].match, "/*");
  EXPECT_EQ(hard.http.request_rates[0].rate, (net::Rate{200, std::chrono::seconds(1), 400}));
  EXPECT_EQ(hard.memory.save_percent, 70u);
  EXPECT_EQ(hard.memory.refuse_percent, 80u);
  EXPECT_EQ(hard.memory.stop_percent, 90u);
  EXPECT_EQ(hard.daemon.shutdown_timeout, std::chrono::seconds(15));
  EXPECT_EQ(hard.daemon.drain_idle_grace, std::chrono::seconds(2));
  EXPECT_EQ(hard.tcp.keepalive_idle, std::chrono::seconds(30));
  EXPECT_EQ(hard.tcp.keepalive_interval, std::chrono::seconds(5));
  EXPECT_EQ(hard.tcp.keepalive_count, 4);
  EXPECT_EQ(hard.tcp.user_timeout, std::chrono::seconds(15));
  for (const auto& pool : {hard.mysql.pool, hard.database_pool}) {
    EXPECT_EQ(pool.acquire_timeout, std::chrono::milliseconds(250));
    EXPECT_EQ(pool.connect_timeout, std::chrono::seconds(1));
    EXPECT_EQ(pool.query_timeout, std::chrono::seconds(2));
  }
}

TEST(ConfigTables, HardenAllThatTheLimitsOfWebSocketsSay) {
  const auto hard = profile_defaults(ServerConfig::Profile::kHardened);
  const websocket::Options& sockets = hard.websocket.limits;
  EXPECT_EQ(sockets.message_max, 64u << 10);
  EXPECT_EQ(sockets.frame_max, 64u << 10);
  EXPECT_EQ(sockets.fragments_max, 64u);
  EXPECT_EQ(sockets.empty_fragments_max, 4u);
  EXPECT_EQ(sockets.subscriptions_max, 64u);
  EXPECT_EQ(sockets.assembly_timeout, std::chrono::seconds(10));
  EXPECT_EQ(sockets.control_rate, (net::Rate{10, std::chrono::seconds(1), 10}));
  EXPECT_EQ(sockets.ping_interval, std::chrono::seconds(20));
  EXPECT_EQ(sockets.pong_timeout, std::chrono::seconds(10));
  EXPECT_EQ(sockets.close_timeout, std::chrono::seconds(2));
  EXPECT_EQ(sockets.send_stall_timeout, std::chrono::seconds(10));
  EXPECT_EQ(sockets.backpressure.high, 256u << 10);
  EXPECT_EQ(sockets.backpressure.low, 64u << 10);
  EXPECT_EQ(sockets.backpressure.max, 1u << 20);
  EXPECT_EQ(sockets.allowed_origins, std::vector<std::string>{"page"});
}

TEST(ConfigTables, HardenAllThatTheLimitsOfDatagramsSay) {
  const auto hard = profile_defaults(ServerConfig::Profile::kHardened);
  EXPECT_EQ(hard.udp.packet_max, 1232u);
  EXPECT_EQ(hard.udp.reply_ratio, 1u);
  EXPECT_EQ(hard.udp.rate_per_source.events, 100u);
  EXPECT_EQ(hard.udp.source_port_min, 1024u);
}

TEST(ConfigTables, LeaveTheDefaultProfileToTheOptions) {
  EXPECT_EQ(profile_defaults(ServerConfig::Profile::kDefault), ServerConfig());
}

}  // namespace
}  // namespace ssx::config
