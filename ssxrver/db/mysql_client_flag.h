// What `client_flag` may ask of the protocol of MySQL, and what is taken out of it.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: -
//
// A flag that only changes what a statement means (found rows instead of changed ones, blanks
// before a parenthesis) is let through. LOCAL INFILE, which lets a server read files of the client,
// and several statements in one text, which is what an injection needs, are off for good; so is
// what would change the form of the protocol behind the driver's back: TLS, and CONNECT_WITH_DB,
// which goes with `database_name` and is the library's to set.
#pragma once

#include <cstdint>
#include <string>

namespace ssx::db {

/// The flags of `asked` that the driver uses.
[[nodiscard]] std::uint32_t allowed_client_flags(std::uint32_t asked) noexcept;

/// What of `asked` is not used, for a warning: "CLIENT_LOCAL_FILES, 0x40000000"; empty: nothing.
[[nodiscard]] std::string refused_client_flags(std::uint32_t asked);

}  // namespace ssx::db
