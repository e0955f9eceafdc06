#include "ssxrver/sys/name.h"

#include <netdb.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "ssxrver/sys/internal.h"

namespace ssx::SSX_SYS_NAMESPACE {

namespace {
Unexpected resolver_failed(int code, int system_error) {
  switch (code) {
    case EAI_NONAME:
    case EAI_NODATA:
    case EAI_ADDRFAMILY:
    case EAI_FAIL:
      return fail(ssx::Errc::kNotFound, "resolve_name");
    case EAI_AGAIN:
      return fail_errno(EAGAIN, "resolve_name");
    case EAI_MEMORY:
      return fail_errno(ENOMEM, "resolve_name");
    case EAI_SYSTEM:
      return fail_errno(system_error, "resolve_name");
    default:
      return fail_errno(EINVAL, "resolve_name");
  }
}
}  // namespace

Result<std::vector<RawAddress>> resolve_name(const std::string& name, std::size_t most) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_ADDRCONFIG;
  addrinfo* list = nullptr;
  const int code = ::getaddrinfo(name.c_str(), nullptr, &wanted, &list);
  if (code != 0) return resolver_failed(code, errno);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(list, &::freeaddrinfo);
  std::vector<RawAddress> addresses;
  for (const addrinfo* one = list; one != nullptr && addresses.size() < most; one = one->ai_next) {
    if (one->ai_addrlen > sizeof(sockaddr_storage)) continue;
    RawAddress& raw = addresses.emplace_back();
    std::memcpy(&raw.storage, one->ai_addr, one->ai_addrlen);
    raw.size = one->ai_addrlen;
  }
  if (addresses.empty()) return fail(ssx::Errc::kNotFound, "resolve_name");
  return addresses;
}

}  // namespace ssx::SSX_SYS_NAMESPACE
