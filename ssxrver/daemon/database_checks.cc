#include "ssxrver/daemon/database_checks.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/bytes.h"
#include "ssxrver/daemon/open_databases.h"
#include "ssxrver/sys/file.h"

namespace ssx {
namespace {

using namespace std::literals;  // NOLINT(google-build-using-namespace): literals only
using Options = config::DatabaseOptions;

/// The first bytes of every database of SQLite.
constexpr std::string_view kMagic = "SQLite format 3\0"sv;

std::string below(const std::string& folder, const std::string& path) {
  if (folder.empty() || path.starts_with('/')) return path;
  return folder + "/" + path;
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string reason(const Error& error) { return error.code().message(); }

/// Why this file, which is there, cannot be a database; empty: it can.
std::string object_to_content(const std::string& path) {
  const auto file = sys::open(path.c_str(), O_RDWR | O_NONBLOCK);
  if (!file) return fmt::format("\"{}\" cannot be opened: {}", path, reason(file.error()));
  std::array<char, kMagic.size()> head{};
  const auto size = sys::pread(file->get(), std::as_writable_bytes(std::span(head)), 0);
  if (!size) return fmt::format("\"{}\" cannot be read: {}", path, reason(size.error()));
  const bool is_database = std::string_view(head.data(), *size) == kMagic;
  return *size == 0 || is_database ? "" : fmt::format("\"{}\" is no database of SQLite", path);
}

/// Why there can be no database in this file; empty: there can.
std::string object_to_file(const std::string& path) {
  if (const auto found = sys::stat(path.c_str())) {
    if (!S_ISREG(found->st_mode)) return fmt::format("\"{}\" is no regular file", path);
    return object_to_content(path);
  }
  const std::string folder = folder_of(path);
  const auto trial = sys::open_temporary(folder.c_str());
  if (trial) return "";
  return fmt::format("no file can be made in the folder \"{}\": {}", folder, reason(trial.error()));
}

/// A sentence about what is wrong with it.
std::optional<std::string> object_to(const Options& database, const std::string& pointer,
                                     const std::string& folder) {
  switch (database.driver) {
    case Options::Driver::kSqlite: {
      if (database.sqlite.file.empty()) return std::nullopt;
      const std::string why = object_to_file(below(folder, database.sqlite.file));
      if (why.empty()) return std::nullopt;
      return fmt::format("{}/file: {}", pointer, why);
    }
    case Options::Driver::kMysql: {
      const auto driver = make_mysql_driver(database, nullptr);
      if (driver) return std::nullopt;
      return fmt::format("{}: {}", pointer, driver.error().message());
    }
  }
  return std::nullopt;
}

}  // namespace

std::string pointer_to_database(const ServerConfig& config, std::string_view name) {
  const bool is_of_2021 = config.mysql_started && name == config::kMysqlDatabase;
  return is_of_2021 ? "/mysql" : fmt::format("/databases/{}", name);
}

StartupResult<void> check_databases(const ServerConfig& config) {
  std::vector<std::string> sentences;
  for (const auto& [name, database] : config.opened_databases()) {
    auto sentence =
        object_to(database, pointer_to_database(config, name), config.daemon.working_directory);
    if (sentence) sentences.push_back(*std::move(sentence));
  }
  if (sentences.empty()) return {};
  return UnexpectedOf<StartupError>(StartupError(ExitCode::kConfig, std::move(sentences)));
}

}  // namespace ssx
