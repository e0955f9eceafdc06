// What a database says of a failure, as the border has it: a status, a code and a sentence. (i)
//
// Thread: values
// Owner:  whoever holds it
// Life:   any
// Bounds: the sentence is that of db::Failure
#pragma once

#include <cstdint>
#include <string>

#include "ssxrver/db/error.h"
#include "ssxrver/plugin/abi.h"

namespace ssx::plugins {

struct DbError {
  std::int32_t status = SSXRVER_ERROR;  ///< an ssxrver_status
  std::int32_t code = 0;                ///< an ssxrver_db_code, or 0
  std::string sentence;
};

[[nodiscard]] DbError to_border(const db::Failure& failure);

/// The transaction or stream of rows in which it happened is over with it.
[[nodiscard]] bool is_end_of_session(const DbError& error) noexcept;

}  // namespace ssx::plugins
