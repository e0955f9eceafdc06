// Pages of the operator's for answers that are errors (`error_pages`), read from files.
//
// Thread: loop-only
// Owner:  WorkerState
// Life:   that of the worker; a page lives on while an answer holds it
// Bounds: kPageMax bytes of a page; a file is looked at again every kTtl, when its page is sent
//
// A page that has been read stays: one whose file is gone or cannot be read is sent as it was.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "http/files/file_cache.h"
#include "http/response.h"
#include "http/status.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/local_ref.h"

namespace ssx::http {

class ErrorPages {
 public:
  /// "404" or "4xx" to the path of a file.
  using Files = std::map<std::string, std::string>;

  static constexpr std::size_t kPageMax = 1 << 20;
  static constexpr std::chrono::seconds kTtl{5};

  struct Page final : LocalShared {
    std::string text;
    std::string type;
  };

  /// What is wrong with the first that cannot be used, as a sentence; "" when all can be read.
  [[nodiscard]] static std::string find_problem(const Files& files);

  /// Reads them all; those that cannot be read are not there (see find_problem).
  explicit ErrorPages(const Files& files);

  /// The page of a status: its own, or that of its class. Null: there is none.
  [[nodiscard]] LocalRef<Page> find(Status status, TimePoint now);
  /// Makes the page of its status the body of `response`. False when there is none.
  bool give(Response& response, TimePoint now);

 private:
  struct Entry {
    int status = 0;  ///< 404, or 4 for "4xx"
    std::string path;
    FileIdentity identity;
    TimePoint checked = TimePoint(Duration::min() / 2);
    LocalRef<Page> page;
  };

  [[nodiscard]] Entry* find_entry(int status) noexcept;
  static void look_again(Entry& entry, TimePoint now);

  std::vector<Entry> entries_;
};

}  // namespace ssx::http
