// What an error number of MySQL or of its client library means to the program.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <cstdint>

#include "ssxrver/db/error.h"

namespace ssx::db::mysql {

/// While connecting nothing has run: what is lost then is only not available.
enum class Phase : std::uint8_t { kConnecting, kRunning };

[[nodiscard]] Errc errc_of(unsigned number, Phase phase) noexcept;

/// The session is not usable after it: the connection is lost, or what it says next is not known.
/// While running, these are kConnectionLost, and no others.
[[nodiscard]] bool ends_session(unsigned number) noexcept;

/// The server has rolled back all of the transaction, and works on without one. Of a lock that was
/// waited for too long (innodb_rollback_on_timeout) only the server knows.
[[nodiscard]] bool undoes_transaction(unsigned number) noexcept;

}  // namespace ssx::db::mysql
