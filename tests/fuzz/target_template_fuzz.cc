// The `to` of redirect and rewrite: whatever a value is, it ends no path, begins no query and names
// no host.
//
// The first line of an input is the template, the second the query; what follows is the value.
#include <string>

#include "http/method.h"
#include "http/target.h"
#include "http/target_template.h"
#include "ssxrver/base/assert.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace ssx::http;

std::string_view take_line(std::string_view& bytes) {
  const auto end = bytes.find('\n');
  const std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  return line;
}

/// "https://host" of a target; empty when it is a path.
std::string_view authority_of(std::string_view target) {
  if (target.starts_with('/')) return {};
  return target.substr(0, target.find_first_of("/?", target.find("://") + 3));
}

/// As the parser lets one through.
bool is_query(std::string_view text) {
  Target target;
  return split_target("/?" + std::string(text), Method::kGet, target) == Errc::kOk &&
         check_query(text) == Errc::kOk;
}

void check(const TargetTemplate& to, std::string_view text, std::string_view value,
           std::string_view query) {
  std::string target;
  to.expand(
      target, [value](std::string_view) { return value; }, query);
  SSX_ASSERT(target.find_first_of(std::string_view(" \t\r\n#\0", 6)) == std::string::npos);
  SSX_ASSERT(!target.starts_with("//"));
  SSX_ASSERT(authority_of(target) == authority_of(text));
  Target split;
  SSX_ASSERT(split_target(target, Method::kGet, split) == Errc::kOk);
  SSX_ASSERT(split.path.find('?') == std::string_view::npos);
  const bool has_own_query = text.find('?') != std::string_view::npos;
  if (!has_own_query) SSX_ASSERT(split.query == query);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes = ssx::fuzz::text(data, size);
  const std::string_view text = take_line(bytes);
  std::string_view query = take_line(bytes);
  if (!is_query(query)) query = {};
  for (const auto kind : {TargetTemplate::Kind::kPath, TargetTemplate::Kind::kUrl}) {
    const auto to = TargetTemplate::parse(text, {"a", "rest"}, kind);
    if (to) {
      check(*to, text, bytes, query);
    } else {
      SSX_ASSERT(!to.error().text().empty());
    }
  }
  return 0;
}
