#include "ssxrver/plugin/host/db_statement.h"

#include <string>
#include <utility>

#include "ssxrver/base/bytes.h"
#include "ssxrver/plugin/host/border.h"

namespace ssx::plugins {
namespace {

bool is_somewhere(ssxrver_text text) noexcept { return text.data != nullptr || text.size == 0; }

std::optional<db::Value> to_value(const ssxrver_value& given) {
  switch (given.kind) {
    case SSXRVER_NULL:
      return db::Value();
    case SSXRVER_INT:
      return db::Value(given.number.integer);
    case SSXRVER_UINT:
      return db::Value(given.number.whole);
    case SSXRVER_REAL:
      return db::Value(given.number.real);
    case SSXRVER_TEXT:
      if (!is_somewhere(given.text)) return std::nullopt;
      return db::Value(to_view(given.text));
    case SSXRVER_BYTES:
      if (!is_somewhere(given.text)) return std::nullopt;
      return db::Value(as_bytes(to_view(given.text)));
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<db::Statement> to_statement(ssxrver_text sql, const ssxrver_value* values,
                                          std::size_t value_count) {
  if (!is_somewhere(sql) || (values == nullptr && value_count > 0)) return std::nullopt;
  db::Values parameters;
  parameters.reserve(value_count);
  for (std::size_t i = 0; i < value_count; ++i) {
    auto value = to_value(values[i]);
    if (!value) return std::nullopt;
    parameters.push_back(*std::move(value));
  }
  return db::Statement(std::string(to_view(sql)), std::move(parameters));
}

}  // namespace ssx::plugins
