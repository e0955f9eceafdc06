#include "http/known_heads.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/request_parser.h"
#include "tests/http/outcome.h"

namespace ssx::http {
namespace {

constexpr SlotId kOne{1, 7};
constexpr SlotId kTwo{2, 7};
constexpr SlotId kSamePlace{1 + KnownHeads::kPlaces, 1};

std::string get(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a.example\r\nX-A: 1\r\n\r\n";
}

/// A request of exactly so many bytes.
std::string of_size(std::size_t size) {
  std::string text = "GET / HTTP/1.1\r\nHost: a.example\r\nX-A: ";
  return text.append(size - text.size() - 4, 'x') + "\r\n\r\n";
}

/// A request of exactly so many field lines.
std::string of_fields(std::size_t count) {
  std::string text = "GET / HTTP/1.1\r\nHost: a.example\r\n";
  for (std::size_t i = 1; i < count; ++i) text += "X-" + std::to_string(i) + ": y\r\n";
  return text + "\r\n";
}

class KnownHeadsTest : public testing::Test {
 protected:
  /// Sent, parsed and taken note of; its bytes are gone afterwards.
  test::Outcome send(SlotId of, const std::string& text) {
    auto bytes = std::make_unique<std::string>(text);
    RequestParser parser(limits);
    Head head;
    const auto parsed = parser.parse(*bytes, head);
    EXPECT_EQ(parsed.progress, Progress::kDone) << text;
    heads->note(of, head);
    const test::Outcome outcome = test::outcome_of(parsed, head);
    bytes->assign(bytes->size(), '\xA5');
    return outcome;
  }
  bool knows(SlotId of, std::string_view text) {
    Head head;
    return heads->recall(of, text, head);
  }

  const ParserLimits limits;
  std::unique_ptr<KnownHeads> heads = std::make_unique<KnownHeads>();
};

TEST_F(KnownHeadsTest, SayOfTheSameBytesWhatTheParserSaid) {
  const std::vector<std::string> requests = {
      get("/"),
      get("/a/../b%20c?d=e"),
      get("http://b.example:81"),
      "\r\nGET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
      "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
      "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n",
      "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
      "GET /w HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
  };
  for (const std::string& request : requests) {
    heads = std::make_unique<KnownHeads>();
    const test::Outcome parsed = send(kOne, request);
    for (const std::string& behind : {std::string(), std::string("GET"), request}) {
      const auto again = std::make_unique<std::string>(request + behind);
      Head head;
      ASSERT_TRUE(heads->recall(kOne, *again, head)) << request;
      EXPECT_EQ(head.fields.base(), again->data());
      EXPECT_EQ(test::outcome_of({Progress::kDone, Errc::kOk, request.size()}, head), parsed);
      EXPECT_EQ(head.size, request.size());
      EXPECT_EQ(head.fields.contains(FieldName::kHost), head.fields.find("host").has_value());
    }
  }
}

TEST_F(KnownHeadsTest, AreNotKnownWhenAByteIsAnotherOrMissing) {
  const std::string request = get("/a?b");
  send(kOne, request);
  for (std::size_t at = 0; at < request.size(); ++at) {
    EXPECT_FALSE(knows(kOne, std::string_view(request).substr(0, at))) << at;
    std::string other = request;
    other[at] = static_cast<char>(other[at] ^ 1);
    EXPECT_FALSE(knows(kOne, other)) << at;
  }
  EXPECT_TRUE(knows(kOne, request));
}

TEST_F(KnownHeadsTest, AreThoseOfOneConnection) {
  send(kOne, get("/"));
  EXPECT_FALSE(knows(kTwo, get("/")));
  EXPECT_FALSE(knows(kSamePlace, get("/")));
  EXPECT_FALSE(knows({kOne.slot, kOne.generation + 1}, get("/")));  // a later one in its slot
  EXPECT_TRUE(knows(kOne, get("/")));
}

TEST_F(KnownHeadsTest, HaveALimitOfBytes) {
  for (const std::size_t over : {0, 1}) {
    for (const std::size_t size : {KnownHeads::kSizeMax - 1, KnownHeads::kSizeMax}) {
      heads = std::make_unique<KnownHeads>();
      send(kOne, of_size(size + over));
      EXPECT_EQ(knows(kOne, of_size(size + over)), size + over <= KnownHeads::kSizeMax);
    }
  }
}

TEST_F(KnownHeadsTest, HaveALimitOfLines) {
  constexpr std::size_t kMost = KnownHeads::kFieldsMax;
  for (const std::size_t count : {kMost - 1, kMost, kMost + 1}) {
    heads = std::make_unique<KnownHeads>();
    send(kOne, of_fields(count));
    EXPECT_EQ(knows(kOne, of_fields(count)), count <= kMost);
  }
}

// Of heads that never come again few are remembered: that would cost something, and for nothing.
TEST_F(KnownHeadsTest, AreTakenNoteOfAtOnceOnlyWhereOneHasComeAgain) {
  send(kOne, get("/0"));
  EXPECT_TRUE(knows(kOne, get("/0")));
  send(kOne, get("/1"));  // the place was of use
  for (int i = 2; i < 2 + KnownHeads::kPatience - 1; ++i) send(kOne, get("/other"));
  EXPECT_FALSE(knows(kOne, get("/other")));
  send(kOne, get("/last"));
  EXPECT_TRUE(knows(kOne, get("/last")));
  send(kOne, get("/and"));
  EXPECT_TRUE(knows(kOne, get("/and")));
}

TEST_F(KnownHeadsTest, LeaveAPlaceToWhoMakesUseOfIt) {
  send(kOne, get("/one"));
  for (int i = 0; i < 10 * KnownHeads::kPatience; ++i) {
    if (i % (KnownHeads::kPatience - 1) == 0) {
      EXPECT_TRUE(knows(kOne, get("/one"))) << i;
    }
    send(kSamePlace, get("/two"));
  }
  EXPECT_FALSE(knows(kSamePlace, get("/two")));
  for (int i = 0; i <= KnownHeads::kPatience; ++i) send(kSamePlace, get("/two"));
  EXPECT_TRUE(knows(kSamePlace, get("/two")));
  EXPECT_FALSE(knows(kOne, get("/one")));
}

}  // namespace
}  // namespace ssx::http
