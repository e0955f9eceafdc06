// What RequestParser makes of the head of one request, framing decided.
//
// Thread: loop-only
// Owner:  whoever parses; one per worker is enough, since it is used up request by request
// Life:   its views look into the bytes given to the last parse() call, or to where rebase() said
// Bounds: ParserLimits
//
// A Head that parse() reported kDone for is unambiguous: at most one of content_length and chunked
// is set, a Host is there in HTTP/1.1 and is well formed, and the target has one of three forms.
// After kFailed, what the request line says is there if the line itself was good, and everything
// is empty if it was not: enough for a line in a log, not for an answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "http/fields.h"
#include "http/method.h"
#include "http/target.h"
#include "http/version.h"

namespace ssx::http {

/// All but the field lines.
struct HeadFacts {
  Method method = Method::kUnknown;  ///< never kUnknown or kConnect after kDone
  Version version = Version::kHttp11;
  TargetForm form = TargetForm::kOrigin;
  bool path_is_normal = false;   ///< normalise_path(path) would return `path` itself
  bool has_query = false;        ///< there was a "?"
  bool has_host = false;         ///< `host` is from Host, or from an absolute-form target
  bool chunked = false;          ///< the body is chunked; otherwise content_length, otherwise none
  bool keep_alive = false;       ///< what version and Connection say (RFC 9112 9.3)
  bool expect_continue = false;  ///< Expect: 100-continue in HTTP/1.1 (RFC 9110 10.1.1)
  bool upgrade = false;          ///< HTTP/1.1, Upgrade present and named by Connection
  std::uint32_t size = 0;        ///< bytes of the head, leading and final empty lines included
  std::optional<std::uint64_t> content_length;
  std::string_view method_text;
  std::string_view target;  ///< as it was sent
  std::string_view
      path;  ///< of the target, not decoded; normalise_path() will accept it, or it is "*"
  std::string_view query;  ///< of the target, not decoded
  std::string_view host;   ///< host [ ":" port ] as spelled; empty without has_host

  /// True when bytes of a body follow the head.
  [[nodiscard]] bool has_body() const noexcept { return chunked || content_length.value_or(0) > 0; }

  /// The bytes that it looks into, which were at `from`, now lie at `to`.
  void rebase(const char* from, const char* to) noexcept;
};

struct Head : HeadFacts {
  Fields fields;

  /// The bytes of the head now lie at `to`: every view follows.
  void rebase(const char* to) noexcept;

  /// Its bytes are gone: everything that looks into them is empty from now on.
  void forget_bytes() noexcept;

  /// Back to an empty head; the table of fields is left untouched.
  void clear() noexcept;
};

static_assert(std::is_trivially_copyable_v<Head>);
static_assert(sizeof(Head) <= 3072, "copied when a head arrives in pieces");

}  // namespace ssx::http
