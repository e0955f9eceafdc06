#include "http/scan.h"

#include "http/scan_inline.h"

namespace ssx::http {
namespace {

#if defined(SSX_HTTP_X86)
template <std::uint8_t kSet>
[[gnu::target("ssse3")]] const char* skip_ssse3(const char* first, const char* last) noexcept {
  return scan::Ssse3::skip<kSet>(first, first, last);
}

template <std::uint8_t kSet>
[[gnu::target("avx2,bmi")]] const char* skip_avx2(const char* first, const char* last) noexcept {
  return scan::Avx2::skip<kSet>(first, first, last);
}
#endif

#if defined(SSX_HTTP_X86)
[[gnu::target("ssse3")]] bool is_plain_path_ssse3(const char* first, const char* last) noexcept {
  return scan::Ssse3::is_plain_path(first, last, last);
}
#endif

template <std::uint8_t kSet>
const char* skip(Isa isa, const char* first, const char* last) noexcept {
  switch (isa) {
    case Isa::kScalar:
      break;
#if defined(SSX_HTTP_X86)
    case Isa::kSsse3:
      return skip_ssse3<kSet>(first, last);
    case Isa::kAvx2:
      return skip_avx2<kSet>(first, last);
#else
    case Isa::kSsse3:
    case Isa::kAvx2:
      break;
#endif
  }
  return scan::Scalar::skip<kSet>(first, first, last);
}

}  // namespace

const char* skip_token(Isa isa, const char* first, const char* last) noexcept {
  return skip<scan::kToken>(isa, first, last);
}

const char* skip_target(Isa isa, const char* first, const char* last) noexcept {
  return skip<scan::kTarget>(isa, first, last);
}

const char* skip_value(Isa isa, const char* first, const char* last) noexcept {
  return skip<scan::kValue>(isa, first, last);
}

bool is_plain_path(Isa isa, const char* first, const char* last) noexcept {
#if defined(SSX_HTTP_X86)
  if (isa != Isa::kScalar) return is_plain_path_ssse3(first, last);
#else
  static_cast<void>(isa);
#endif
  return scan::Scalar::is_plain_path(first, last, last);
}

}  // namespace ssx::http
