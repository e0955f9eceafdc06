#include "http/sse.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace ssx::http {
namespace {

using namespace std::string_literals;
using std::chrono::milliseconds;

std::string written(const ServerEvent& event) {
  std::string out;
  const auto result = append_event(out, event);
  return result ? out : "!" + result.error().code().message();
}

// What a page sees of a stream, as the HTML Standard 9.2.6 reads it.
struct Seen {
  std::string type = "message";
  std::string data;
  std::string id;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> seen(std::string_view stream) {
  std::vector<Seen> events;
  Seen event;
  std::string last_id;
  bool has_data = false;
  while (!stream.empty()) {
    const std::size_t end = stream.find_first_of("\r\n");
    const std::string_view line = stream.substr(0, end);
    stream.remove_prefix(end + (stream.substr(end).starts_with("\r\n") ? 2 : 1));
    if (line.empty()) {
      if (has_data) event.data.pop_back(), event.id = last_id, events.push_back(event);
      event = {}, has_data = false;
      continue;
    }
    const std::size_t colon = line.find(':');
    std::string_view value = line.substr(std::min(colon, line.size() - 1) + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    const std::string_view name = line.substr(0, colon);
    if (name == "event") event.type = value;
    if (name == "id") last_id = value;
    if (name == "data") event.data += std::string(value) + "\n", has_data = true;
  }
  return events;
}

TEST(ServerEvent, HasItsLines) {
  EXPECT_EQ(written({.data = "hello"}), "data: hello\n\n");
  EXPECT_EQ(written({.data = "1", .event = "tick", .id = "7", .retry = milliseconds(1500)}),
            "event: tick\nid: 7\nretry: 1500\ndata: 1\n\n");
  EXPECT_EQ(written({.retry = milliseconds(0)}), "retry: 0\n\n");
  EXPECT_EQ(written({.id = ""}), "id: \n\n");
  EXPECT_EQ(written({.data = ""}), "data: \n\n");
}

TEST(ServerEvent, CutsItsDataAtEveryLineEnd) {
  EXPECT_EQ(written({.data = "a\nb"}), "data: a\ndata: b\n\n");
  EXPECT_EQ(written({.data = "a\r\nb\rc\n"}), "data: a\ndata: b\ndata: c\ndata: \n\n");
  EXPECT_EQ(written({.data = "\n\r"}), "data: \ndata: \ndata: \n\n");
}

TEST(ServerEvent, IsSeenAsItWasSent) {
  for (const std::string_view data :
       {"", "a", " a", "  a", ":", "data: x", "a\nb", "\n", "a\n\nb", "event: x\n\nid: 1", "a\n"}) {
    std::string out;
    append_event_comment(out, "event: no\n\ndata: no");
    ASSERT_TRUE(append_event(out, {.data = data, .event = " e", .id = " i"}));
    EXPECT_EQ(seen(out), (std::vector<Seen>{{" e", std::string(data), " i"}})) << data;
  }
}

// What begins another field or another event must not come from a name.
TEST(ServerEvent, RefusesNamesOfSeveralLines) {
  const std::string refused = "!" + std::string(to_string(Errc::kBadEvent));
  for (const std::string& bad : {"a\n"s, "\r"s, "a\r\nb"s, "a\0b"s}) {
    EXPECT_EQ(written({.data = "x", .event = bad}), refused);
    EXPECT_EQ(written({.data = "x", .id = bad}), refused);
  }
  EXPECT_EQ(written({.retry = milliseconds(-1)}), refused);
  std::string out = "before";
  EXPECT_FALSE(append_event(out, {.event = "\n"}));
  EXPECT_EQ(out, "before");
  EXPECT_EQ(written({.data = "a\0b"s}), "data: a\0b\n\n"s);
}

TEST(ServerEventComment, StaysAComment) {
  std::string out;
  append_event_comment(out, "ping");
  EXPECT_EQ(out, ": ping\n\n");
  append_event_comment(out, "a\ndata: b\r\r\ndata: c");
  EXPECT_TRUE(seen(out).empty());
}

}  // namespace
}  // namespace ssx::http
