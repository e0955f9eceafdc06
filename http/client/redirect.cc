#include "http/client/redirect.h"

#include <algorithm>

#include "http/error.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

constexpr std::string_view kLocation = "location";

template <std::size_t kCount>
void drop(std::vector<ClientField>& fields, const std::string_view (&names)[kCount]) {
  std::erase_if(fields, [&names](const ClientField& field) {
    return std::ranges::any_of(
        names, [&field](std::string_view name) { return ascii_iequals(field.name, name); });
  });
}

}  // namespace

bool is_redirect(const ResponseHead& head) noexcept {
  switch (head.status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return head.fields.find(kLocation).has_value();
    default:
      return false;
  }
}

Result<Url> redirect_target(const Url& from, const ResponseHead& head) {
  const std::size_t first = head.fields.next(kLocation, 0);
  if (head.fields.next(kLocation, first + 1) != head.fields.size()) {
    return fail(Errc::kBadRedirect, "redirect");
  }
  auto target = from.resolve(head.fields[first].value);
  if (!target) return fail(Errc::kBadRedirect, "redirect");
  return target;
}

std::string_view redirect_method(std::uint16_t status, std::string_view method) noexcept {
  if (status == 303 && method != "HEAD") return "GET";
  if ((status == 301 || status == 302) && method == "POST") return "GET";
  return method;
}

void drop_credentials(std::vector<ClientField>& fields) {
  drop(fields, {"authorization", "cookie", "cookie2", "www-authenticate"});
}

void drop_content_fields(std::vector<ClientField>& fields) {
  drop(fields, {"content-type", "content-encoding", "content-language", "content-location",
                "content-range", "digest", "last-modified"});
}

}  // namespace ssx::http
