#include "ssxrver/db/statement.h"

namespace ssx::db {

Result<void> check_text(std::string_view sql) {
  const auto place = sql.find('\0');
  if (place == std::string_view::npos) return {};
  return fail(Errc::kSyntax, "query", 0,
              "a NUL byte stands in the statement, at byte " + std::to_string(place));
}

}  // namespace ssx::db
