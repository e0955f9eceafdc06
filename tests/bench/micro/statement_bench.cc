// ns per SQL statement built from a request that is JSON and parsed already.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/db/statement_builder.h"
#include "ssxrver/json/json.h"

namespace ssx::db {
namespace {

constexpr Dialect kDialect{"mysql", '`', "BEGIN"};

/// Thirty tables of twelve columns, as a program of some size has.
DatabaseSchema schema() {
  std::vector<TableSchema> tables;
  for (int table = 0; table < 30; ++table) {
    std::vector<ColumnSchema> columns{{"id", ColumnKind::kInteger},
                                      {"name", ColumnKind::kText},
                                      {"length", ColumnKind::kReal},
                                      {"price", ColumnKind::kDecimal},
                                      {"poster", ColumnKind::kBytes}};
    for (int column = 0; column < 7; ++column) {
      columns.push_back({fmt::format("note_{}", column), ColumnKind::kText});
    }
    tables.emplace_back(fmt::format("movie_{}", table), std::move(columns));
  }
  return DatabaseSchema::create(std::move(tables)).value();
}

constexpr std::string_view kByKey =
    R"({"tableName": "movie_7", "data": {"id": 4711}, "op": ["="]})";
constexpr std::string_view kConditions =
    R"({"tableName": "movie_7", "what": ["id", "name", "price"],
        "data": {"name": "B%", "length": 90.5, "id": [3, 4, 5, 6]}, "op": ["like", ">", "in"],
        "order": ["name", {"id": "desc"}], "limit": 20, "offset": 40})";
constexpr std::string_view kRow =
    R"({"tableName": "movie_7",
        "data": {"id": 1, "name": "Brazil", "length": 132.5, "price": "9.90", "note_3": "old"}})";
constexpr std::string_view kUpdate =
    R"({"tableName": "movie_7", "set": {"name": "Brazil", "price": "9.90"},
        "data": {"id": 4711}, "op": ["="]})";
constexpr std::string_view kUnknownColumn =
    R"({"tableName": "movie_7", "what": ["id", "nmae"], "data": {"id": 4711}, "op": ["="]})";

std::string hundred_rows() {
  std::string rows;
  for (int i = 0; i < 100; ++i) {
    rows += fmt::format(R"({}{{"id": {}, "name": "movie {}", "price": "9.90"}})", i == 0 ? "" : ",",
                        i, i);
  }
  return R"({"tableName": "movie_7", "data": [)" + rows + "]}";
}

using Build = Result<Statement> (StatementBuilder::*)(const json::Value&) const;

void build(benchmark::State& state, Build how, const std::string& text, bool expected) {
  const auto builder = StatementBuilder::create(schema(), kDialect).value();
  const auto request = json::parse(text).value().root;
  for (auto _ : state) {
    const auto statement = (builder.*how)(request);
    if (statement.has_value() != expected) std::abort();
    benchmark::DoNotOptimize(statement);
  }
}
BENCHMARK_CAPTURE(build, key, &StatementBuilder::select, std::string(kByKey), true)
    ->Name("Statement/select/by_key");
BENCHMARK_CAPTURE(build, conditions, &StatementBuilder::select, std::string(kConditions), true)
    ->Name("Statement/select/3_conditions");
BENCHMARK_CAPTURE(build, unknown, &StatementBuilder::select, std::string(kUnknownColumn), false)
    ->Name("Statement/select/refused");
BENCHMARK_CAPTURE(build, row, &StatementBuilder::insert, std::string(kRow), true)
    ->Name("Statement/insert/1_row");
BENCHMARK_CAPTURE(build, rows, &StatementBuilder::insert, hundred_rows(), true)
    ->Name("Statement/insert/100_rows");
BENCHMARK_CAPTURE(build, update, &StatementBuilder::update, std::string(kUpdate), true)
    ->Name("Statement/update/by_key");
BENCHMARK_CAPTURE(build, remove, &StatementBuilder::remove, std::string(kByKey), true)
    ->Name("Statement/delete/by_key");

}  // namespace
}  // namespace ssx::db
