// A request as a session shows it to a handler, made of its bytes.
//
// Thread: the test's
// Owner:  the test
// Life:   the request looks into it
// Bounds: those of ParserLimits that the test gives
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/options.h"
#include "http/request.h"
#include "http/request_parser.h"

namespace ssx::websocket::test {

class ParsedRequest {
 public:
  explicit ParsedRequest(std::string bytes, const http::ParserLimits& limits = {})
      : bytes_(std::move(bytes)) {
    http::RequestParser parser(limits);
    const auto parsed = parser.parse(bytes_, head_);
    EXPECT_EQ(parsed.progress, http::Progress::kDone) << to_string(parsed.error) << bytes_;
    request_.emplace(head_, head_.path, params_, body_, peer_, 0);
  }
  ParsedRequest(const ParsedRequest&) = delete;
  ParsedRequest& operator=(const ParsedRequest&) = delete;

  const http::Request& operator*() const noexcept { return *request_; }

 private:
  std::string bytes_;
  http::Head head_;
  http::Params params_;
  http::Body body_;
  net::SocketAddress peer_ = *net::SocketAddress::parse("192.0.2.1", 5);
  std::optional<http::Request> request_;
};

}  // namespace ssx::websocket::test
