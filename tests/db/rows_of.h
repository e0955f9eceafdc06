// Rows made by hand.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/db/rows_builder.h"

namespace ssx::db {

inline Rows rows_of(std::vector<std::string> names, const std::vector<Values>& rows) {
  RowsBuilder builder({.rows_max = 1000, .bytes_max = 1U << 20U},
                      std::make_shared<const std::vector<std::string>>(std::move(names)));
  for (const Values& row : rows) {
    const auto added = builder.add_row([&row](std::size_t i) { return row[i].view(); });
    SSX_ASSERT(added == RowsBuilder::Added::kTaken);
  }
  return builder.take();
}

}  // namespace ssx::db
