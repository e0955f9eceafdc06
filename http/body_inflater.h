// Takes the content coding off the body of a request while it arrives (RFC 9110 8.4): gzip, and
// deflate, which is zlib's format.
//
// Thread: loop-only
// Owner:  BodyReceiver
// Life:   begin(), take() for every piece, finish(); then it can begin again
// Bounds: BodyDecodingOptions: what comes out per byte that went in. How much in all is for the
//         sink to say, which is asked every kPieceBytes
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "http/error.h"
#include "http/fields.h"
#include "http/options.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/compress/inflater.h"

namespace ssx::http {

/// What Content-Encoding says.
struct BodyCoding {
  std::optional<compress::InflateFormat> format;  ///< nothing: the body is as it is
  Errc error = Errc::kOk;  ///< kUnknownContentCoding: another one, or more than one

  [[nodiscard]] static BodyCoding of(const Fields& fields) noexcept;
  /// What an answer says that refuses the others (RFC 9110 15.5.16).
  static constexpr std::string_view kAccepted = "gzip, deflate";
};

class BodyInflater {
 public:
  static constexpr std::size_t kPieceBytes = 16 << 10;
  using Sink = UniqueFunction<Errc(std::string_view)>;

  explicit BodyInflater(const BodyDecodingOptions& options) noexcept : options_(options) {}

  /// kOverloaded when there is no memory.
  [[nodiscard]] Errc begin(compress::InflateFormat format);
  /// Everything that `bytes` hold goes to the sink. kBadContentCoding, kContentRatio, or what the
  /// sink says.
  [[nodiscard]] Errc take(std::string_view bytes, Sink& sink);
  /// The body has ended: kBadContentCoding when what is in it has not.
  [[nodiscard]] Errc finish() const noexcept;

 private:
  const BodyDecodingOptions& options_;
  compress::InflateFormat format_ = compress::InflateFormat::kGzip;
  std::optional<compress::Inflater> inflater_;
};

}  // namespace ssx::http
