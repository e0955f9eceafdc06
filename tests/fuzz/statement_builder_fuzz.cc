// Requests for statements, as any text: an error that says where, or a statement of words of ours,
// quoted names of the schema, and as many places as it has values.
//
// The first byte says which statement (select, insert, update, delete) and whose quotes; the rest
// is JSON.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ssxrver/base/assert.h"
#include "tests/db/statement_fixture.h"
#include "tests/db/statement_tokens.h"
#include "tests/fuzz/fuzz.h"

namespace {

namespace db = ssx::db;
namespace json = ssx::json;

db::Result<db::Statement> build(const db::StatementBuilder& builder, unsigned kind,
                                const json::Value& request) {
  switch (kind % 4) {
    case 0:
      return builder.select(request);
    case 1:
      return builder.insert(request);
    case 2:
      return builder.update(request);
    default:
      return builder.remove(request);
  }
}

/// What a text among the values is in the request: itself, a pattern's escape, or bytes.
void expect_bounded(const db::Statement& statement, std::size_t request_size) {
  for (const db::Value& value : statement.parameters) {
    const auto type = value.type();
    if (type != db::Type::kText && type != db::Type::kBytes) continue;
    SSX_ASSERT(value.view().text().size() <= request_size);
    SSX_ASSERT(type == db::Type::kBytes || json::is_utf8(value.view().text()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned kind = data[0];
  const auto document = json::parse(ssx::fuzz::text(data + 1, size - 1));
  if (!document) return 0;
  const db::Dialect& dialect = (kind & 4U) == 0 ? db::kDoubleQuotes : db::kBackticks;
  static const db::DatabaseSchema schema = db::cinema();
  static const db::StatementLimits limits{.columns_max = 4, .list_max = 4, .values_max = 16};
  const auto built = build(db::builder_of(limits, dialect), kind, document->root);
  if (!built) {
    const std::string& text = built.error().text();
    SSX_ASSERT(
        built.error() == db::Errc::kInvalidRequest || built.error() == db::Errc::kRequestTooLarge,
        text);
    SSX_ASSERT(text.starts_with('/') || text.starts_with("the request: "), text);
    return 0;
  }
  const std::string wrong =
      db::what_is_wrong(built->sql, built->parameters.size(), dialect.identifier_quote, schema);
  SSX_ASSERT(wrong.empty(), wrong, built->sql);
  SSX_ASSERT(built->parameters.size() <= limits.values_max);
  expect_bounded(*built, size);
  return 0;
}
