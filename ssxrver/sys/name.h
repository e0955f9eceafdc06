// Names of hosts, as the system's resolver knows them (files, DNS: /etc/nsswitch.conf).
//
// Thread: any thread; blocks for as long as the resolver likes (/etc/resolv.conf: 5 s a server)
// Owner:  values
// Life:   each call stands alone
// Bounds: `most` addresses
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/sys/socket.h"

namespace ssx::sys {

/// IPv4 and IPv6 addresses of a host, in the order in which they should be tried (RFC 6724); the
/// ports are 0. ssx::Errc::kNotFound: there is no such name, or it has no address. EAGAIN: nobody
/// who would know has answered.
Result<std::vector<RawAddress>> resolve_name(const std::string& name, std::size_t most);

}  // namespace ssx::sys
