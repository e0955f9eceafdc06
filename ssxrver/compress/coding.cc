#include "ssxrver/compress/coding.h"

#include "ssxrver/base/strings.h"

namespace ssx::compress {

bool is_available(Coding coding) noexcept {
  switch (coding) {
    case Coding::kGzip:
      return true;
    case Coding::kBrotli:
#if defined(SSX_HAVE_BROTLI)
      return true;
#else
      return false;
#endif
    case Coding::kZstd:
#if defined(SSX_HAVE_ZSTD)
      return true;
#else
      return false;
#endif
  }
  return false;
}

std::string_view to_string(Coding coding) noexcept {
  switch (coding) {
    case Coding::kGzip:
      return "gzip";
    case Coding::kBrotli:
      return "br";
    case Coding::kZstd:
      return "zstd";
  }
  return {};
}

std::optional<Coding> find_coding(std::string_view name) noexcept {
  for (const Coding coding : kCodings) {
    if (ascii_iequals(name, to_string(coding))) return coding;
  }
  if (ascii_iequals(name, "x-gzip")) return Coding::kGzip;
  return std::nullopt;
}

}  // namespace ssx::compress
