// What a statement may leave with its session: a variable, a lock by name, a locked table.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: reads the text once, when it is prepared
//
// Servers tell of some of it (session_track_state_change), but not of GET_LOCK() nor of LOCK
// TABLES, and not with the rows of a SELECT that sets a variable. So the text is asked as well,
// which errs to the safe side: a "@" within quotes costs a reset, too. Not seen is what a function,
// a procedure's caller or a trigger of the database does on its own within a plain statement.
#pragma once

#include <string_view>

namespace ssx::db::mysql {

/// False for the statements of every day: those that read and write rows, define, or begin and end
/// transactions, and name no "@" and no GET_LOCK.
[[nodiscard]] bool may_change_session(std::string_view sql) noexcept;

}  // namespace ssx::db::mysql
