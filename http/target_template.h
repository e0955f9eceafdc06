// A target with the placeholders of a route in it, as `redirect` and `rewrite` have: "/new/{id}".
//
// Thread: immutable once parsed, any thread
// Owner:  the Route or handler that sends elsewhere
// Life:   any
// Bounds: kSizeMax bytes of text; a value grows to three times its size, as often as it is named
//
// What is put in comes from a path that was decoded, and is percent-encoded again: no value can end
// the path, begin a query or a fragment, or name another host. Of slashes in a row only one is
// left, because "//host" would name one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/result.h"

namespace ssx::http {

class TargetTemplate {
 public:
  static constexpr std::size_t kSizeMax = 4096;

  enum class Kind : unsigned char {
    kPath,  ///< "/path?query" of this server
    kUrl,   ///< that, or "https://host/path?query"
  };
  struct Mistake {
    enum class What : unsigned char {
      kNotATarget,   ///< none of the two forms, a byte that no target has, or a bad escape
      kTooLong,      ///< kSizeMax
      kBadBrace,     ///< "{" and "}" that do not enclose a name
      kUnknownName,  ///< a name that is not among `names`
      kInAuthority,  ///< a placeholder before the path: values must not name a host
    };
    What what;
    std::string name = {};                   ///< kUnknownName, kInAuthority: which
    [[nodiscard]] std::string text() const;  ///< for who wrote it
  };

  /// `names`: RoutePattern::names() of the route's pattern. With a "?" in `text` a request's own
  /// query is not kept; one at its end stands for that alone.
  static Expected<TargetTemplate, Mistake> parse(std::string_view text,
                                                 const std::vector<std::string>& names, Kind kind);

  /// Appends the target. `value_of` gives the value of each name, decoded. `query`, as it was sent,
  /// follows if it is not empty and there is no other.
  template <class ValueOf>
  void expand(std::string& out, ValueOf&& value_of, std::string_view query) const {
    for (const Piece& piece : pieces_) {
      append(out, piece, piece.is_name ? std::string_view(value_of(piece.text)) : piece.text);
    }
    if (!has_query_ && !query.empty()) out.append("?").append(query);
  }

 private:
  enum class Part : unsigned char { kAuthority, kPath, kQuery };
  struct Piece {
    std::string text;  ///< as it is, or the name whose value stands here
    Part part;
    bool is_name;
  };

  TargetTemplate() = default;
  static void append(std::string& out, const Piece& piece, std::string_view text);

  std::vector<Piece> pieces_;
  bool has_query_ = false;
};

}  // namespace ssx::http
