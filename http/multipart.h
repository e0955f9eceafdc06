// A multipart/form-data body, taken apart while it arrives (RFC 7578, RFC 2046 5.1).
//
// Thread: loop-only
// Owner:  whoever reads the body
// Life:   one body; create, then next() for what has arrived, until kEnd
// Bounds: MultipartLimits; the parser keeps the boundary and one part's header, never data. Linear
//         time, whatever the data looks like
//
//   Result<Multipart> multipart = Multipart::create(content_type, limits);
//   bytes: what has arrived and is unread
//   auto event = multipart->next(bytes, is_last);   // again and again
//   bytes.remove_prefix(event.consumed);
//
// Strict where browsers and curl are: lines end in CRLF, the delimiter is followed by nothing but
// padding, each part has a name, the final boundary is there. A body that ends without it has been
// cut, and what was taken for a whole file was not one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/error.h"
#include "http/options.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

/// What the header of a part says.
struct PartHeader {
  std::string name;           ///< of the form's field; never missing, may be empty
  bool has_filename = false;  ///< a file, even if its name is empty (no file was chosen)
  /// The last component of what the client says, without "/", "\", controls and NUL; may be empty,
  /// is never "." or "..". Still a stranger's word: do not overwrite files of that name.
  std::string filename;
  std::string content_type;  ///< "text/plain" when the part does not say (RFC 7578 4.4)
};

class Multipart {
 public:
  static constexpr std::size_t kBoundaryMax = 70;   ///< RFC 2046 5.1.1
  static constexpr std::size_t kFilenameMax = 255;  ///< what file systems take

  enum class What : std::uint8_t {
    kNeedMore,   ///< nothing is complete; come back with the unread bytes and some more
    kPartBegin,  ///< header() says what begins
    kData,       ///< a piece of the part, not empty
    kPartEnd,
    kEnd,     ///< the final boundary; what may follow is swallowed (RFC 2046 5.1.1, epilogue)
    kFailed,  ///< `error` says why; nothing more will come
  };

  struct Event {
    What what = What::kNeedMore;
    std::size_t consumed = 0;    ///< of the bytes that were given; those are not wanted again
    std::string_view data = {};  ///< a view of the bytes that were given
    Errc error = Errc::kOk;
  };

  /// kNotMultipart when the Content-Type is another one; kBadBoundary when its boundary is missing,
  /// longer than kBoundaryMax or made of other bytes than RFC 2046 5.1.1 allows.
  static Result<Multipart> create(std::string_view content_type, const MultipartLimits& limits);

  /// `bytes` begins where the last event ended. With `is_last` nothing will follow them: a body
  /// that is not complete then is kUnfinishedMultipart.
  [[nodiscard]] Event next(std::string_view bytes, bool is_last);

  /// Of the part that has begun, until the next begins.
  [[nodiscard]] const PartHeader& header() const noexcept { return header_; }

 private:
  enum class State : std::uint8_t {
    kStart,      // no byte has been consumed: a delimiter without its CRLF may stand here
    kPreamble,   // before the first delimiter
    kDelimiter,  // behind "--boundary": padding and CRLF, or "--"
    kHeader,     // the lines of a part's header
    kBlank,      // at the CRLF that ends the header: it may be that of the next delimiter, too
    kData,
    kEpilogue,
    kFailed,
  };

  Multipart() = default;

  [[nodiscard]] Event advance(std::string_view bytes, bool is_last);
  [[nodiscard]] Event read_start(std::string_view bytes) noexcept;
  [[nodiscard]] Event read_preamble(std::string_view bytes) noexcept;
  [[nodiscard]] Event read_delimiter(std::string_view bytes, bool is_last) noexcept;
  [[nodiscard]] Event read_header(std::string_view bytes);
  [[nodiscard]] Event read_blank(std::string_view bytes) noexcept;
  [[nodiscard]] Event read_data(std::string_view bytes) noexcept;
  [[nodiscard]] Errc begin_part() noexcept;
  [[nodiscard]] Errc take_field(std::string_view line);
  [[nodiscard]] Errc take_disposition(std::string_view value);
  [[nodiscard]] std::size_t delimiter_at(std::string_view bytes) const noexcept;
  [[nodiscard]] Event end_part() noexcept;
  [[nodiscard]] Event fail_with(Errc code) noexcept;

  MultipartLimits limits_;
  std::string delimiter_;  // CRLF "--" boundary
  State state_ = State::kStart;
  Errc error_ = Errc::kOk;
  std::size_t parts_ = 0;

  // Of the part whose header is being read.
  PartHeader header_;
  std::size_t header_bytes_ = 0;
  std::size_t field_count_ = 0;
  bool has_disposition_ = false;
};

}  // namespace ssx::http
