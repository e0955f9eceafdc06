// Everything that Multipart says about a body, as values to compare; for tests and fuzz targets.
//
// Thread: any thread
// Owner:  values
// Life:   they outlive the bytes
// Bounds: none of its own
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/multipart.h"
#include "ssxrver/base/assert.h"

namespace ssx::http::test {

struct Part {
  std::string name;
  bool has_filename = false;
  std::string filename;
  std::string content_type;
  std::string data;
  bool is_whole = false;
  bool operator==(const Part&) const = default;
};

struct Parts {
  std::vector<Part> parts;
  bool has_ended = false;
  Errc error = Errc::kOk;
  std::size_t unread_max = 0;  ///< the most that had to be kept between two pieces
};

/// The data and the ends count, not in how many pieces they came.
inline bool same(const Parts& left, const Parts& right) {
  return left.parts == right.parts && left.has_ended == right.has_ended &&
         left.error == right.error;
}

inline void take(const Multipart& multipart, const Multipart::Event& event, Parts& parts) {
  using What = Multipart::What;
  if (event.what == What::kPartBegin) {
    const PartHeader& header = multipart.header();
    parts.parts.push_back(
        {header.name, header.has_filename, header.filename, header.content_type, {}, false});
  }
  if (event.what == What::kData) {
    SSX_ASSERT(!event.data.empty());
    parts.parts.back().data += event.data;
  }
  if (event.what == What::kPartEnd) parts.parts.back().is_whole = true;
  if (event.what == What::kEnd) parts.has_ended = true;
  if (event.what == What::kFailed) parts.error = event.error;
}

inline Parts read_parts(Multipart multipart, const std::vector<std::string_view>& pieces) {
  using What = Multipart::What;
  Parts parts;
  std::string unread;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    // An allocation of its own for each round: a view that is kept for too long is seen.
    std::string bytes = unread + std::string(pieces[i]);
    std::string_view rest = bytes;
    while (true) {
      const Multipart::Event event = multipart.next(rest, i + 1 == pieces.size());
      SSX_ASSERT(event.consumed <= rest.size());
      take(multipart, event, parts);
      if (event.what == What::kFailed) return parts;
      rest.remove_prefix(event.consumed);
      if (event.what == What::kNeedMore) break;
    }
    unread = rest;
    parts.unread_max = std::max(parts.unread_max, unread.size());
  }
  return parts;
}

}  // namespace ssx::http::test
