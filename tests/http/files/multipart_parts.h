// Takes a multipart/byteranges answer apart, by its boundary alone.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/raw_client.h"

namespace ssx::http::test {

struct PartOfMany {
  std::string head;  ///< with the CRLF of each line
  std::string body;
};

/// A failed check, and what was found so far, when it is malformed.
inline std::vector<PartOfMany> multipart_parts(const ssx::test::RawResponse& answer) {
  std::vector<PartOfMany> parts;
  const std::string type = answer.field("Content-Type");
  constexpr std::string_view kType = "multipart/byteranges; boundary=";
  EXPECT_TRUE(type.starts_with(kType)) << type;
  if (!type.starts_with(kType)) return parts;
  const std::string boundary = "--" + type.substr(kType.size());
  std::string_view rest = answer.body;
  EXPECT_TRUE(rest.starts_with(boundary + "\r\n"));
  rest.remove_prefix(std::min(rest.size(), boundary.size()));
  while (rest.starts_with("\r\n")) {
    rest.remove_prefix(2);
    const auto head = rest.find("\r\n\r\n");
    const auto end = rest.find("\r\n" + boundary);
    if (head == std::string_view::npos || end == std::string_view::npos || end < head + 4) break;
    parts.push_back({std::string(rest.substr(0, head + 2)),
                     std::string(rest.substr(head + 4, end - head - 4))});
    rest.remove_prefix(end + 2 + boundary.size());
  }
  EXPECT_EQ(rest, "--\r\n");
  return parts;
}

}  // namespace ssx::http::test
