// The list of what is in a folder (`autoindex`), as a page and as JSON.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: the entries that come in (`autoindex_max`)
//
// Names come from a disk, and may be anything: what stands in the page is escaped for HTML, what
// stands in a link is percent-encoded and begins with "./", so that no name is taken for a scheme.
#pragma once

#include <string>
#include <string_view>

#include "http/files/root_directory.h"

namespace ssx::http {

/// What a listing says of itself.
struct ListingTitle {
  std::string_view path;    ///< of the request, decoded: "/music/"
  bool has_parent = false;  ///< a link to ".." leads somewhere
};

/// Leaves out names that no URL can say to this server (target.h), and names that begin with a dot
/// unless `with_dotfiles`; folders first, then by name without regard to ASCII case.
void tidy_listing(RootDirectory::Listing& listing, bool with_dotfiles);

[[nodiscard]] std::string make_html_listing(const ListingTitle& title,
                                            const RootDirectory::Listing& listing);

/// {"path": "/music/", "truncated": false, "entries": [{"name": "a.ogg", "type": "file",
/// "size": 3, "mtime": "1994-11-06T08:49:37Z"}]}; a folder has the type "directory" and no size.
[[nodiscard]] std::string make_json_listing(const ListingTitle& title,
                                            const RootDirectory::Listing& listing);

/// Whether a segment of a path may be shown to anybody who asks: not what begins with a dot, but
/// for ".well-known" (RFC 8615).
[[nodiscard]] bool is_hidden_name(std::string_view segment) noexcept;

}  // namespace ssx::http
