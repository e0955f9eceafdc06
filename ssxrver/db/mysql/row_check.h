// Whether a row of a prepared statement is as long as its packet. The client library believes the
// lengths that a server writes into it, and reads behind its end.
//
// Thread: pure; check_rows() as the session
// Owner:  -
// Life:   -
// Bounds: -
//
// Of our code this alone runs on the library's stack: it waits for nothing and throws nothing.
#pragma once

#include <mysql.h>

#include <span>

namespace ssx::db::mysql {

/// `row`: with its first byte, which says that it is one. A type that the library cannot read is
/// no good row, either.
[[nodiscard]] bool is_good_row(std::span<const MYSQL_FIELD> columns,
                               std::span<const unsigned char> row) noexcept;

/// From now on mysql_stmt_fetch() fails, and names no reason, for a row that is not good. Requires
/// mysql_init(). With an old library, that does not tell how long a row is, nothing is checked.
void check_rows(MYSQL& mysql) noexcept;

}  // namespace ssx::db::mysql
