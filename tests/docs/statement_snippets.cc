// What docs/guide/statement_builder.md shows: compiled, not run.
#include <string>
#include <vector>

#include "ssxrver/db/schema_reader.h"
#include "ssxrver/db/statement_builder.h"
#include "ssxrver/json/json.h"
#include "ssxrver/log/logger.h"
#include "ssxrver/ssxrver.h"

namespace ssx::test {

Response as_json(const db::Rows& rows);

ssx::Task<ssx::db::Result<ssx::db::StatementBuilder>> builder_for(ssx::db::Database& cinema) {
  const std::vector<std::string> tables = {"movie", "studio"};
  auto schema = co_await ssx::db::read_schema(cinema, tables);
  if (!schema) co_return ssx::db::fail(schema.error());
  co_return ssx::db::StatementBuilder::create(*std::move(schema), cinema.dialect());
}

ssx::Task<ssx::Response> find_movies(ssx::db::Database& cinema,
                                     const ssx::db::StatementBuilder& builder, std::string body) {
  const auto request = ssx::json::parse(body, 0, {.strict = true});
  if (!request || !request->duplicates.empty()) co_return ssx::Status::kBadRequest;
  auto statement = builder.select(request->root);
  if (!statement) {
    SSX_LOG_DEBUG("find: {}", statement.error().text());
    co_return ssx::Status::kBadRequest;
  }
  const auto rows = co_await cinema.query(*std::move(statement));
  if (!rows) co_return ssx::Status::kInternalServerError;
  co_return as_json(*rows);
}

ssx::db::Result<ssx::db::Statement> rename(const ssx::db::StatementBuilder& builder, int id,
                                           std::string name) {
  ssx::json::Value set;
  set.set("name", std::move(name));
  ssx::json::Value which;
  which.set("id", id);
  ssx::json::Value request;
  request.set("tableName", "movie");
  request.set("set", std::move(set));
  request.set("data", std::move(which));
  return builder.update(request);
}

ssx::db::Result<ssx::db::DatabaseSchema> what_the_public_sees() {
  using ssx::db::ColumnKind;
  return ssx::db::DatabaseSchema::create({
      {"movie", {{"id", ColumnKind::kInteger}, {"name", ColumnKind::kText}}},
  });
}

}  // namespace ssx::test
