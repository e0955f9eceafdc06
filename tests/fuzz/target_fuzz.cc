// Request-targets, paths, queries and hosts: nothing leaves the root, nothing is decoded twice, and
// a path that is normal stays as it is.
#include "http/target.h"

#include <memory>
#include <string>

#include "http/router.h"
#include "ssxrver/base/assert.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace ssx::http;

struct Normalised {
  bool accepted = false;
  std::string path;
};

Normalised normalise(std::string_view path) {
  const auto scratch = std::make_unique<char[]>(path.size());
  const auto result = normalise_path(path, {scratch.get(), path.size()});
  if (!result) return {};
  return {.accepted = true, .path = std::string(*result)};
}

std::string escaped(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char byte : path) {
    const auto value = static_cast<unsigned char>(byte);
    if (byte == '/') {
      out += byte;
    } else {
      out += {'%', kDigits[value >> 4], kDigits[value & 15]};
    }
  }
  return out;
}

void check_path_of(std::string_view path) {
  const Normalised once = normalise(path);
  SSX_ASSERT(once.accepted == (check_path(path) == Errc::kOk));
  if (!once.accepted) return;
  SSX_ASSERT(once.path.size() <= path.size());
  SSX_ASSERT(once.path.starts_with('/'));
  SSX_ASSERT(once.path.find_first_of(std::string_view("\0\r\n\\", 4)) == std::string::npos);
  for (const std::string_view segment : {"//", "/./", "/../"}) {
    SSX_ASSERT(once.path.find(segment) == std::string::npos, once.path);
  }
  SSX_ASSERT(!once.path.ends_with("/.") && !once.path.ends_with("/.."), once.path);
  // Normalising once more changes nothing: with and without another round of escapes.
  std::string again(once.path.size(), '\0');
  std::size_t size = 0;
  SSX_ASSERT(remove_dot_segments(once.path, again, size) == Errc::kOk);
  SSX_ASSERT(again.substr(0, size) == once.path, again);
  const Normalised round = normalise(escaped(once.path));
  SSX_ASSERT(round.accepted && round.path == once.path, round.path, once.path);
}

const Router& routes() {
  static const Router router = [] {
    Router made;
    for (const char* const pattern :
         {"/", "/admin/*", "/admin/open", "/users/{id}", "/a b/{c}/d"}) {
      const auto added = made.add("", {Method::kGet}, pattern,
                                  {make_handler([](const Request&) { return ""; }), {}, pattern});
      SSX_ASSERT(added.has_value());
    }
    return made;
  }();
  return router;
}

// The string that the router judges is the one that is opened: what it lets through to another
// route is not below the one that is guarded, and its parameters are parts of that string.
void check_route_of(std::string_view path) {
  const Normalised normal = normalise(path);
  if (!normal.accepted) return;
  Params params;
  const Router::Match match = routes().match("", Method::kGet, normal.path, params);
  const bool below_admin = normal.path == "/admin" || normal.path.starts_with("/admin/");
  const std::string_view name = match.route == nullptr ? "" : std::string_view(match.route->name);
  SSX_ASSERT(name.starts_with("/admin/") ? below_admin : !normal.path.starts_with("/admin/"),
             normal.path, name);
  if (name == "/users/{id}") {
    SSX_ASSERT(normal.path == "/users/" + std::string(params.find("id")), normal.path);
    SSX_ASSERT(params.find("id").find('/') == std::string_view::npos, normal.path);
  }
  if (name == "/admin/*") SSX_ASSERT(normal.path.ends_with(params.find("rest")), normal.path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = ssx::fuzz::text(data, size);
  for (const Method method : {Method::kGet, Method::kOptions}) {
    Target target;
    if (split_target(bytes, method, target) != Errc::kOk) continue;
    SSX_ASSERT(target.path == "*" || target.path.starts_with('/'));
    if (target.path == "*") continue;
    check_path_of(target.path);
    check_route_of(target.path);
    static_cast<void>(check_query(target.query));
  }
  check_path_of(bytes);
  check_route_of(bytes);
  Authority authority;
  if (parse_authority(bytes, authority) == Errc::kOk) {
    SSX_ASSERT(!authority.host.empty() && bytes.starts_with(authority.host));
    SSX_ASSERT(authority.host.find_first_of("@/?#, ") == std::string_view::npos);
  }
  std::string scratch(bytes.size(), '\0');
  const auto decoded = decode_component(bytes, Plus::kSpace, scratch);
  SSX_ASSERT(!decoded || decoded->size() <= bytes.size());
  return 0;
}
