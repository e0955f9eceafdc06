// Heads of requests with the verdict that each must get: what abuse-tests.md calls A05 to A12.
//
// Thread: immutable
// Owner:  static
// Life:   the program
// Bounds: a few hundred rows
//
// The same rows are tried at every split, against llhttp, and with a request behind them.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "http/error.h"

namespace ssx::http::test {

struct CorpusRow {
  std::string name;  ///< group, then what is special
  std::string bytes;
  Errc verdict = Errc::kOk;
};

inline void PrintTo(const CorpusRow& row, std::ostream* out) { *out << row.name; }

/// All rows; every name is there once.
const std::vector<CorpusRow>& request_corpus();

}  // namespace ssx::http::test
