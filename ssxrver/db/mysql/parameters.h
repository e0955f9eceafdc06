// The parameters of a statement as the client library takes them.
//
// Thread: one thread at a time
// Owner:  the coroutine that executes
// Life:   as long as the call that sends them; it looks into the values, which must not move
// Bounds: those of the statement
#pragma once

#include <mysql.h>

#include <vector>

#include "ssxrver/db/value.h"

namespace ssx::db::mysql {

class Parameters {
 public:
  explicit Parameters(const Values& values);
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  /// False: the library has not taken them. Requires as many as the statement has places.
  [[nodiscard]] bool bind(MYSQL_STMT* statement);

 private:
  union Number {
    std::int64_t int64;
    std::uint64_t uint64;
    double real;
  };

  std::vector<MYSQL_BIND> binds_;
  std::vector<Number> numbers_;
};

}  // namespace ssx::db::mysql
