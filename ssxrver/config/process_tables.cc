#include <memory>

#include "http/access_format.h"
#include "ssxrver/config/kinds.h"
#include "ssxrver/config/special_kinds.h"
#include "ssxrver/config/tables.h"

namespace ssx::config {
namespace {

using namespace std::chrono_literals;
using http::AccessLogOptions;
using log::LogOptions;

constexpr std::int64_t kFileSizeMax = std::int64_t{1} << 50;

template <class Member>
auto log_field(Member member) {
  return in(&ServerConfig::log, member);
}

void add_line_keys(ServerTable& table) {
  const auto live = Reload::kLive;
  const auto restart = Reload::kRestart;
  table.key("level", log_field(&LogOptions::level), level_choice(), live,
            "the least that is logged");
  table
      .key("ansync_started", log_field(&LogOptions::async), Switch{}, restart,
           "a thread of its own writes files; off = each line goes to stdout at once")
      .alias("async_started");
  table.key("flush_second", log_field(&LogOptions::flush),
            Time{.min = 1s, .max = 1h, .has_off = false, .grain = 1s, .is_seconds = true}, live,
            "the most that a line waits for the disk");
  table.key("roll_size", log_field(&LogOptions::roll_size),
            Size{{.min = 4096, .max = kFileSizeMax, .low_means_default = true}}, live,
            "a file ends before it exceeds this");
  table.key("path", log_field(&LogOptions::path), Text{.what = "a path"}, restart,
            "folder of the files, made when missing; empty = the working directory");
  table.key("base_name", log_field(&LogOptions::base_name),
            Text{.length_max = 200, .what = "a name", .objection = object_to_file_name}, restart,
            "files are BASE.YYYYmmdd-HHMMSS.log (UTC), with .N on collision");
  table.key("console", log_field(&LogOptions::console), Switch{}, restart,
            "with files, lines go to stdout as well");
  table.key(
      "format", log_field(&LogOptions::format),
      Choice<log::LineFormat>{{{"text", log::LineFormat::kText}, {"json", log::LineFormat::kJson}}},
      restart, "of a line");
  table.key("pattern", log_field(&LogOptions::pattern),
            Text{.length_max = 1024, .what = "a pattern"}, restart,
            "spdlog's pattern in place of our text format; empty = ours");
  table.key("time", log_field(&LogOptions::time),
            Choice<log::TimeZone>{{{"local", log::TimeZone::kLocal}, {"utc", log::TimeZone::kUtc}}},
            restart, "of time stamps");
  table.key("line_max", log_field(&LogOptions::line_max), Size{{256, 65536}}, restart,
            "a longer message is cut and marked");
}

Table<AccessLogOptions> access_log_keys() {
  const auto live = Reload::kLive;
  Table<AccessLogOptions> table;
  table.key("enabled", &AccessLogOptions::enabled, Switch{}, live, "off = no line, and no cost");
  table.key("path", &AccessLogOptions::path,
            Text{.length_max = 1024, .what = "a path", .objection = object_to_file_path},
            Reload::kRestart,
            "folder and first part of the files' names; below the log's folder unless absolute");
  table.key("format", &AccessLogOptions::format, AccessPattern{}, live,
            "of a line; variables are those of docs/guide/access_log.md");
  table.key("sample", &AccessLogOptions::sample, Share{}, live,
            "the share of requests that get a line");
  table.key("exclude", &AccessLogOptions::exclude,
            Words{{.what = "path patterns", .objection = object_to_path_pattern}, 64}, live,
            "paths that get none");
  return table;
}

void add_file_keys(ServerTable& table) {
  const auto live = Reload::kLive;
  const auto restart = Reload::kRestart;
  table.key("daily", log_field(&LogOptions::daily), Switch{}, live, "a new file at midnight");
  table.key("max_files", log_field(&LogOptions::max_files), Whole{{0, 1'000'000}}, live,
            "files kept, the current one included; 0 = all");
  table.key("max_age_days", log_field(&LogOptions::max_age_days), Whole{{0, 36500}}, live,
            "since the last line of a file; 0 = for ever");
  table.key("total_size", log_field(&LogOptions::total_size), Size{{0, kFileSizeMax}}, live,
            "of all files together; 0 = no limit");
  table.key("buffers", log_field(&LogOptions::buffers), Whole{{2, 1024}}, restart,
            "of 512 KiB, between the threads' rings and the disk");
  table.key("ring_size", log_field(&LogOptions::ring_size), Size{{1024, 64 << 20}}, restart,
            "of each thread, rounded up to a power of two; at least 4 x `line_max`");
  table.key("overflow", log_field(&LogOptions::overflow),
            Choice<log::Overflow>{{{"drop_newest", log::Overflow::kDropNewest},
                                   {"drop_oldest", log::Overflow::kDropOldest},
                                   {"block", log::Overflow::kBlock}}},
            restart, "when lines come faster than the disk takes them; lost lines are counted");
  table.key("flush_level", log_field(&LogOptions::flush_level), level_choice(), live,
            "lines from here on are flushed at once");
  table.key("levels", log_field(&LogOptions::levels), ModuleLevels{}, live,
            "modules with a level of their own: {\"net\": \"DEBUG\"}");
  table.object("access", &ServerConfig::access_log,
               std::make_shared<const Table<AccessLogOptions>>(access_log_keys()),
               "a line for each request");
}

/// Two writers of one file would each roll and remove the other's.
bool is_own_file(const LogOptions& log, const std::string& path) {
  const std::string beside = log.path + (log.path.empty() || log.path.ends_with('/') ? "" : "/");
  return path != log.base_name && path != beside + log.base_name;
}

void check_access_log(Reader& reader, const json::Value& value, ServerConfig& config) {
  const LogOptions& log = config.log;
  AccessLogOptions& access = config.access_log;
  access.line_max = log.line_max;
  access.utc = log.time == log::TimeZone::kUtc;
  const json::Value* found = value.find("access");
  if (!access.enabled || found == nullptr) return;
  const Reader::Step step(reader, "access");
  if (!log.async) {
    reader.error(*found,
                 "needs \"ansync_started\": \"on\": its lines are written by the log's thread");
  }
  if (!is_own_file(log, access.path)) {
    reader.error(*found, "\"path\" must not be the log's own file, \"" + log.base_name + "\"");
  }
  if (!http::AccessFormat::compile(access.format, access.line_max)) {
    reader.error(
        *found, "a line of this format does not fit \"line_max\", " + std::to_string(log.line_max));
  }
}

}  // namespace

ServerTable log_keys() {
  ServerTable table;
  add_line_keys(table);
  add_file_keys(table);
  table.check([](Reader& reader, const json::Value& value, ServerConfig& config) {
    check_access_log(reader, value, config);
    const LogOptions& log = config.log;
    if (log.ring_size >= 4 * log.line_max) return;
    const json::Value* ring = value.find("ring_size");
    reader.error(
        ring != nullptr ? *ring : value,
        "\"ring_size\" must be at least 4 x \"line_max\", " + std::to_string(4 * log.line_max));
  });
  return table;
}

Table<DaemonOptions> daemon_keys() {
  const auto restart = Reload::kRestart;
  Table<DaemonOptions> table;
  table.key("daemonize", &DaemonOptions::daemonize, Switch{}, restart, "leave the terminal (-d)");
  table.key("pid_file", &DaemonOptions::pid_file, Text{.what = "a path"}, restart,
            "written and locked (-p); -s finds the daemon by it; empty = none");
  table.later(R"({"user": "", "group": ""})");
  table.key("working_directory", &DaemonOptions::working_directory, Text{.what = "a path"}, restart,
            "relative paths start here; empty = where it was started");
  table.key("umask", &DaemonOptions::umask, Octal{}, restart, "of files that are made");
  table.key("rlimit_nofile", &DaemonOptions::rlimit_nofile,
            Whole{{.min = 64, .max = 1 << 30, .special = 0}}, restart,
            "descriptors; 0 = up to the hard limit");
  table.later(R"({"core_dump": "off"})");
  table
      .key("shutdown_timeout", &DaemonOptions::shutdown_timeout, Time{}, Reload::kLive,
           "how long a drain may take; what is left then is reset")
      .hardened(15s);
  table
      .key("drain_idle_grace", &DaemonOptions::drain_idle_grace, Time{}, Reload::kLive,
           "how long a drain leaves a connection open that waits for a request")
      .hardened(2s);
  table.later(R"({"systemd": {"notify": "auto", "watchdog": "auto", "socket_activation": "auto"},
                  "upgrade": {"enabled": "on", "handoff": "websocket", "timeout": "30s"},
                  "sandbox": {"seccomp": "off", "landlock": "off", "no_new_privs": "on"}})");
  return table;
}

}  // namespace ssx::config
