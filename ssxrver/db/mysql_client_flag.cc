#include "ssxrver/db/mysql_client_flag.h"

#include <fmt/format.h>

namespace ssx::db {
namespace {

struct Flag {
  std::uint32_t bit;
  const char* name;
};

// The numbers are the protocol's; they stand in mysql_com.h of every client library.
constexpr Flag kAllowed[] = {
    {1U << 0, "CLIENT_LONG_PASSWORD"},  {1U << 1, "CLIENT_FOUND_ROWS"},
    {1U << 2, "CLIENT_LONG_FLAG"},      {1U << 4, "CLIENT_NO_SCHEMA"},
    {1U << 5, "CLIENT_COMPRESS"},       {1U << 6, "CLIENT_ODBC"},
    {1U << 8, "CLIENT_IGNORE_SPACE"},   {1U << 9, "CLIENT_PROTOCOL_41"},
    {1U << 10, "CLIENT_INTERACTIVE"},   {1U << 12, "CLIENT_IGNORE_SIGPIPE"},
    {1U << 13, "CLIENT_TRANSACTIONS"},  {1U << 15, "CLIENT_RESERVED2"},
    {1U << 17, "CLIENT_MULTI_RESULTS"}, {1U << 18, "CLIENT_PS_MULTI_RESULTS"},
};
constexpr Flag kRefused[] = {
    {1U << 3, "CLIENT_CONNECT_WITH_DB"},
    {1U << 7, "CLIENT_LOCAL_FILES"},
    {1U << 11, "CLIENT_SSL"},
    {1U << 16, "CLIENT_MULTI_STATEMENTS"},
};

constexpr std::uint32_t allowed_bits() {
  std::uint32_t bits = 0;
  for (const Flag& flag : kAllowed) bits |= flag.bit;
  return bits;
}

}  // namespace

std::uint32_t allowed_client_flags(std::uint32_t asked) noexcept { return asked & allowed_bits(); }

std::string refused_client_flags(std::uint32_t asked) {
  std::uint32_t left = asked & ~allowed_bits();
  std::string names;
  const auto add = [&names](std::string_view name) {
    if (!names.empty()) names += ", ";
    names += name;
  };
  for (const Flag& flag : kRefused) {
    if ((left & flag.bit) == 0) continue;
    add(flag.name);
    left &= ~flag.bit;
  }
  if (left != 0) add(fmt::format("{:#x}", left));
  return names;
}

}  // namespace ssx::db
