// The `mysql` object as the files of 2021 have it. Read, kept and printed; no driver uses it yet,
// and `mysql_started` must be off.
//
// Thread: immutable once loaded
// Owner:  ServerConfig
// Life:   that of the configuration
// Bounds: every field says its range
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ssxrver/config/secret.h"

namespace ssx::config {

struct MysqlOptions {
  std::string address = "127.0.0.1";       ///< `address`: a name or an address
  std::string user = "root";               ///< `user`
  Secret password;                         ///< `password`: text, or {"file": "..."}
  std::string database_name;               ///< `database_name`
  std::uint16_t port = 0;                  ///< `port`: 0 .. 65535; 0 = the library's own
  std::optional<std::string> unix_socket;  ///< `unix_socket`: null or a path
  std::uint32_t client_flag = 0;           ///< `client_flag`: 0 .. 2^32-1
  bool operator==(const MysqlOptions&) const = default;
};

}  // namespace ssx::config
