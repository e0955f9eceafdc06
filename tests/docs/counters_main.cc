// ssxrver_counters_docs [--check] ROOT: writes docs/reference/counters.md, or says that it is
// stale.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "http/counter_fields.h"
#include "ssxrver/daemon/log_fields.h"
#include "ssxrver/db/counters.h"
#include "ssxrver/net/counter_fields.h"
#include "ssxrver/net/task_pool.h"
#include "ssxrver/plugin/host/counters.h"
#include "websocket/counter_fields.h"

namespace ssx {
namespace {

constexpr const char* kIntroduction = R"(# Counters

What the daemon counts, as `App::count_into()` and a plugin's `host.metrics_text()` show it, and
as the plugin `metrics_page` shows it ([guide](../guide/plugins.md#counters-on-a-page)): the text
format of Prometheus. A counter only grows, and begins at 0 with the process; a gauge is what there
is now. Each is the sum of all workers. A plugin's own stand beside them as
`ssxrver_plugin_NAME_...`.

This page is made from the tables that the layers attach; `ssxrver_counters_docs` writes it.
)";

struct Row {
  std::string_view help;
  std::string_view kind;
  std::string_view label;
  std::vector<std::string_view> values;
};

template <class Block>
std::string_view kind_of(const metrics::Field<Block>& field) {
  if (std::holds_alternative<metrics::Gauge Block::*>(field.member)) return "gauge";
  if (std::holds_alternative<metrics::Histogram Block::*>(field.member)) return "histogram";
  return "counter";
}

std::string show(std::string_view name, const Row& row) {
  std::string label;
  if (!row.label.empty()) {
    label = fmt::format("`{}`: {}", row.label, fmt::join(row.values, ", "));
  }
  return fmt::format("| `{}` | {} | {} | {} |\n", name, row.kind, row.help, label);
}

template <class Fields>
std::string section(std::string_view title, const Fields& fields) {
  std::map<std::string_view, Row> rows;
  for (const auto& field : fields) {
    Row& row = rows.try_emplace(field.name, Row{field.help, kind_of(field), field.label.name, {}})
                   .first->second;
    if (!field.label.value.empty()) row.values.push_back(field.label.value);
  }
  std::string text =
      fmt::format("\n## {}\n\n| name | kind | what | label |\n|---|---|---|---|\n", title);
  for (const auto& [name, row] : rows) text += show(name, row);
  return text;
}

std::string make_page() {
  return kIntroduction + section("Accepting", net::kAcceptFields) +
         section("Connections", net::kConnectionFields) + section("HTTP", http::counter_fields()) +
         section("WebSockets", websocket::counter_fields()) + section("UDP", net::kUdpFields) +
         section("Tasks", net::kTaskFields) + section("Databases", db::kPoolFields) +
         section("Plugins", plugins::counter_fields("the name of the instance")) +
         section("Log", kLogFields);
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int run(const std::string& path, bool check) {
  const std::string page = make_page();
  if (check) {
    if (read(path) == page) return 0;
    fmt::print(stderr, "{} is stale: run ssxrver_counters_docs\n", path);
    return 1;
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << page;
  return file.flush() ? 0 : 1;
}

}  // namespace
}  // namespace ssx

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !check) {
    fmt::print(stderr, "usage: ssxrver_counters_docs [--check] ROOT\n");
    return 64;
  }
  return ssx::run(std::string(argv[argc - 1]) + "/docs/reference/counters.md", check);
}
