#include "ssxrver/base/log_record.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ssx::log {
namespace {

TEST(LogModule, IsTheFolderOfTheLayer) {
  using internal::module_of;
  EXPECT_EQ(module_of("ssxrver/net/event_loop.cc"), "net");
  EXPECT_EQ(module_of("/srv/me/src/ssxrver/net/linux/epoll_poller.cc"), "net");
  EXPECT_EQ(module_of("http/files/cache.cc"), "http");
  EXPECT_EQ(module_of("/srv/me/ssxrver/http/files/cache.cc"), "http");
  EXPECT_EQ(module_of("/opt/shop/orders/main.cc"), "orders");
  EXPECT_EQ(module_of("main.cc"), "main");
  EXPECT_EQ(module_of("/main.cc"), "main");
}

TEST(LogModule, IsNeverAFolderOfDots) {
  using internal::module_of;
  EXPECT_EQ(module_of("../http/session.cc"), "http");
  EXPECT_EQ(module_of("../../../../srv/me/orders/main.cc"), "orders");
  EXPECT_EQ(module_of("../ssxrver/net/linux/epoll_poller.cc"), "net");
  EXPECT_EQ(module_of("./orders/main.cc"), "orders");
  EXPECT_EQ(module_of("./main.cc"), "main");
  EXPECT_EQ(module_of("../../main.cc"), "main");
}

TEST(LogEscape, LeavesNoControlByte) {
  std::string out;
  append_escaped("a\tb\r\nc\x1b[31m\x7f \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", out);
  EXPECT_EQ(out, "a\\x09b\\x0d\\x0ac\\x1b[31m\\x7f \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(LogEscape, EscapesWhatIsNotUtf8) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"\xff", "\\xff"},
      {"\xc0\x80", "\\xc0\\x80"},                    // overlong NUL
      {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},           // overlong slash
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // above U+10FFFF
      {"\xc2\x9b", "\\xc2\\x9b"},                    // C1: CSI
      {"\xe2\x82", "\\xe2\\x82"},                    // ends early
      {"\xe2\x82x", "\\xe2\\x82x"},
      {std::string("\0", 1), "\\x00"},
  };
  for (const auto& [in, expected] : cases) {
    std::string out;
    append_escaped(in, out);
    EXPECT_EQ(out, expected);
  }
}

}  // namespace
}  // namespace ssx::log
