#include "ssxrver/db/mysql/parameters.h"

#include "ssxrver/db/mysql/client_library.h"

namespace ssx::db::mysql {

Parameters::Parameters(const Values& values) : binds_(values.size()), numbers_(values.size()) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ValueView value = values[i].view();
    MYSQL_BIND& bind = binds_[i];
    switch (value.type()) {
      case Type::kNull:
        bind.buffer_type = MYSQL_TYPE_NULL;
        break;
      case Type::kInt64:
        numbers_[i].int64 = value.int64();
        bind.buffer_type = MYSQL_TYPE_LONGLONG;
        bind.buffer = &numbers_[i];
        break;
      case Type::kUint64:
        numbers_[i].uint64 = value.uint64();
        bind.buffer_type = MYSQL_TYPE_LONGLONG;
        bind.is_unsigned = 1;
        bind.buffer = &numbers_[i];
        break;
      case Type::kDouble:
        numbers_[i].real = value.real();
        bind.buffer_type = MYSQL_TYPE_DOUBLE;
        bind.buffer = &numbers_[i];
        break;
      case Type::kText:
      case Type::kBytes:
        bind.buffer_type = value.type() == Type::kText ? MYSQL_TYPE_STRING : MYSQL_TYPE_BLOB;
        // The library reads from it, and an empty text has an address as well.
        bind.buffer = const_cast<char*>(value.text().empty() ? "" : value.text().data());
        bind.buffer_length = value.text().size();
        bind.length_value = value.text().size();
        bind.length = &bind.length_value;
        break;
    }
  }
}

bool Parameters::bind(MYSQL_STMT* statement) {
  return binds_.empty() || client().mysql_stmt_bind_param(statement, binds_.data()) == 0;
}

}  // namespace ssx::db::mysql
