#include "ssxrver/app/chat_rooms.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx {
namespace {

std::int64_t now = 0;
std::int64_t read_now() { return now; }

class ChatRoomsTest : public testing::Test {
 protected:
  ChatRoomsTest() { now = 1000; }
  static ChatRooms make(std::size_t history = 0) { return ChatRooms(history, &read_now); }
  static std::string quoted(std::size_t size) {
    return R"({"text":")" + std::string(size, 'x') + "\"}";
  }
};

TEST_F(ChatRoomsTest, TellWhoIsThere) {
  ChatRooms rooms = make();
  const auto ada = rooms.join("lobby", "ada");
  EXPECT_EQ(ada->welcome, R"({"type":"welcome","id":1000,"room":"lobby","name":"ada",)"
                          R"("members":["ada"],"history":[]})");
  const auto bob = rooms.join("lobby", "bob");
  EXPECT_EQ(bob->notice, R"({"type":"join","id":1001,"name":"bob"})");
  EXPECT_NE(bob->welcome.find(R"("members":["ada","bob"])"), std::string::npos);
  EXPECT_EQ(rooms.leave("lobby", "ada"), R"({"type":"leave","id":1002,"name":"ada"})");
  EXPECT_NE(rooms.join("lobby", "cy")->welcome.find(R"("members":["bob","cy"])"),
            std::string::npos);
  EXPECT_NE(rooms.join("cellar", "cy")->welcome.find(R"("members":["cy"])"), std::string::npos);
}

TEST_F(ChatRoomsTest, GiveEachNameOnce) {
  ChatRooms rooms = make();
  EXPECT_EQ(rooms.join("a", "ada")->name, "ada");
  EXPECT_EQ(rooms.join("a", "ada")->name, "ada 2");
  EXPECT_EQ(rooms.join("a", "ada")->name, "ada 3");
  EXPECT_EQ(rooms.join("b", "ada")->name, "ada");
  (void)rooms.leave("a", "ada 2");
  EXPECT_EQ(rooms.join("a", "ada")->name, "ada 2");
  const std::string most(31, 'x');
  EXPECT_EQ(rooms.join("a", most + "y")->name, most + "y");
  EXPECT_EQ(rooms.join("a", most + "y")->name, most.substr(1) + " 2");
  std::string umlauts = "a";  // what is cut off is whole characters
  for (int i = 0; i < 15; ++i) umlauts += "\xC3\xA4";
  umlauts += "b";
  (void)rooms.join("a", umlauts);
  EXPECT_TRUE(ChatRooms::is_name(rooms.join("a", umlauts)->name));
}

TEST_F(ChatRoomsTest, RefuseWhatIsNestedMoreThanFourDeep) {
  ChatRooms rooms = make();
  (void)rooms.join("a", "ada");
  EXPECT_TRUE(rooms.say("a", "ada", R"({"text":"x","more":[[{}]]})").is_for_all);
  EXPECT_FALSE(rooms.say("a", "ada", R"({"text":"x","more":[[[{}]]]})").is_for_all);
}

TEST_F(ChatRoomsTest, BoundAWelcome) {
  ChatRooms rooms = make(2000);
  now = 2'000'000'000'000;
  const std::string quotes(31, '"');
  std::size_t longest = 0;
  const auto join = [&] {
    const auto joined = rooms.join(quotes, quotes);
    if (joined) longest = std::max(longest, joined->welcome.size());
    return joined.has_value();
  };
  ASSERT_TRUE(join());
  for (int i = 0; i < 2000; ++i) (void)rooms.say(quotes, quotes, quoted(1));
  while (join()) continue;
  EXPECT_GT(rooms.counters().history_bytes_max_hit.value(), 0U);
  EXPECT_LE(longest, ChatRooms::kWelcomeMax);
  EXPECT_GT(longest, ChatRooms::kWelcomeMax * 9 / 10);
}

TEST_F(ChatRoomsTest, KnowWhatANameIs) {
  for (const char* name : {"a", "Ada Lovelace", "\xC3\xA4", "<b>"})
    EXPECT_TRUE(ChatRooms::is_name(name)) << name;
  for (const char* name : {"", " a", "a ", "a\n", "\x7F", "\xC3", "\xFF"})
    EXPECT_FALSE(ChatRooms::is_name(name)) << name;
  EXPECT_TRUE(ChatRooms::is_name(std::string(31, 'x')));
  EXPECT_TRUE(ChatRooms::is_name(std::string(32, 'x')));
  EXPECT_FALSE(ChatRooms::is_name(std::string(33, 'x')));
  ChatRooms rooms = make();
  for (const std::size_t size : {31U, 32U, 33U}) {
    EXPECT_EQ(rooms.may_join(std::string(size, 'x'), "a"), size <= 32);
    EXPECT_EQ(rooms.may_join("a", std::string(size, 'x')), size <= 32);
    EXPECT_EQ(rooms.counters().names_refused.value(), size <= 32 ? 0U : 2U);
  }
}

TEST_F(ChatRoomsTest, HandOnWhatIsSaid) {
  ChatRooms rooms = make();
  (void)rooms.join("a", "ada");
  now = 5000;
  const auto heard = rooms.say("a", "ada", R"({"text":"a \"b\"\n<c>"})");
  EXPECT_TRUE(heard.is_for_all);
  EXPECT_EQ(heard.text, R"({"type":"message","id":5000,"name":"ada","text":"a \"b\"\n<c>"})");
  now = 10;  // the clock is set back: ids go on
  EXPECT_NE(rooms.say("a", "ada", R"({"text":"x"})").text.find("\"id\":5001"), std::string::npos);
}

TEST_F(ChatRoomsTest, TellWhatIsWrong) {
  ChatRooms rooms = make();
  (void)rooms.join("a", "ada");
  for (const char* sent : {"", "hello", "[]", "{}", "\"text\"", R"({"text":1})", R"({"text":""})",
                           R"({"text":"a\u0000"})", R"({"text":"a\u001b[0m"})", R"({"text":"a",})",
                           R"([[[[[[[[[[[[)"}) {
    const auto heard = rooms.say("a", "ada", sent);
    EXPECT_FALSE(heard.is_for_all) << sent;
    EXPECT_EQ(heard.text.find(R"({"type":"error","text":")"), 0U) << heard.text;
  }
  EXPECT_EQ(rooms.counters().sent_refused.value(), 11U);
}

TEST_F(ChatRoomsTest, BoundWhatIsSaid) {
  ChatRooms rooms = make();
  (void)rooms.join("a", "ada");
  for (const std::size_t size : {4095U, 4096U, 4097U}) {
    EXPECT_EQ(rooms.say("a", "ada", quoted(size)).is_for_all, size <= 4096);
    EXPECT_EQ(rooms.counters().text_max_hit.value(), size <= 4096 ? 0U : 1U);
  }
  EXPECT_EQ(rooms.counters().sent_refused.value(), 0U);
}

TEST_F(ChatRoomsTest, BoundTheJsonThatItComesIn) {
  ChatRooms rooms = make();
  (void)rooms.join("a", "ada");
  const std::string said = quoted(1);
  for (const std::size_t size : {32767U, 32768U, 32769U}) {
    const std::string sent = said + std::string(size - said.size(), ' ');
    EXPECT_EQ(rooms.say("a", "ada", sent).is_for_all, size <= 32768);
    EXPECT_EQ(rooms.counters().sent_refused.value(), size <= 32768 ? 0U : 1U);
  }
}

TEST_F(ChatRoomsTest, KeepTheLatestMessages) {
  ChatRooms rooms = make(2);
  (void)rooms.join("a", "ada");
  EXPECT_NE(rooms.join("a", "b")->welcome.find(R"("history":[]})"), std::string::npos);
  const std::string first = rooms.say("a", "ada", R"({"text":"1"})").text;
  EXPECT_NE(rooms.join("a", "c")->welcome.find("\"history\":[" + first + "]}"), std::string::npos);
  const std::string second = rooms.say("a", "ada", R"({"text":"2"})").text;
  EXPECT_NE(rooms.join("a", "d")->welcome.find("[" + first + "," + second + "]"),
            std::string::npos);
  EXPECT_EQ(rooms.counters().history_max_hit.value(), 0U);
  const std::string third = rooms.say("a", "ada", R"({"text":"3"})").text;
  EXPECT_NE(rooms.join("a", "e")->welcome.find("[" + second + "," + third + "]"),
            std::string::npos);
  EXPECT_EQ(rooms.counters().history_max_hit.value(), 1U);
  EXPECT_EQ(rooms.counters().history_bytes_max_hit.value(), 0U);
}

TEST_F(ChatRoomsTest, KeepNoMoreBytesThanTheyMay) {
  // Sixteen of 4 KiB with all that is around a text, but for the last of them.
  for (const int more : {-1, 0, 1}) {
    ChatRooms rooms = make(1000);
    (void)rooms.join("a", "ada");
    (void)rooms.join("b", "ada");
    const std::size_t around = rooms.say("b", "ada", quoted(1)).text.size() - 1;
    const std::size_t size = 4096 - around;
    for (int i = 0; i < 15; ++i) ASSERT_EQ(rooms.say("a", "ada", quoted(size)).text.size(), 4096U);
    (void)rooms.say("a", "ada", quoted(size + static_cast<std::size_t>(more + 1) - 1));
    EXPECT_EQ(rooms.counters().history_bytes_max_hit.value(), more <= 0 ? 0U : 1U);
    const std::string welcome = rooms.join("a", "bob")->welcome;
    EXPECT_EQ(welcome.find("\"id\":1001,\"name\":\"ada\",\"text\"") != std::string::npos, more <= 0)
        << "the oldest";
    EXPECT_NE(welcome.find("\"id\":1016,\"name\":\"ada\",\"text\""), std::string::npos)
        << "the newest";
  }
}

TEST_F(ChatRoomsTest, ForgetARoomThatIsEmpty) {
  ChatRooms rooms = make(5);
  (void)rooms.join("a", "ada");
  (void)rooms.say("a", "ada", R"({"text":"1"})");
  (void)rooms.leave("a", "ada");
  EXPECT_NE(rooms.join("a", "b")->welcome.find(R"("history":[]})"), std::string::npos);
}

TEST_F(ChatRoomsTest, TakeNoMoreThanTheyMay) {
  ChatRooms rooms = make();
  for (std::size_t i = 0; i < ChatRooms::kMembersMax; ++i)
    ASSERT_TRUE(rooms.join("a", "m" + std::to_string(i)));
  EXPECT_EQ(rooms.counters().members_max_hit.value(), 0U);
  EXPECT_FALSE(rooms.join("a", "one more"));
  EXPECT_EQ(rooms.counters().members_max_hit.value(), 1U);
  for (std::size_t i = 1; i < ChatRooms::kRoomsMax; ++i)
    ASSERT_TRUE(rooms.join("r" + std::to_string(i), "m"));
  EXPECT_EQ(rooms.counters().rooms_max_hit.value(), 0U);
  EXPECT_FALSE(rooms.join("one more", "m"));
  EXPECT_EQ(rooms.counters().rooms_max_hit.value(), 1U);
  (void)rooms.leave("r1", "m");
  EXPECT_TRUE(rooms.join("one more", "m"));
  (void)rooms.leave("a", "m0");
  EXPECT_TRUE(rooms.join("a", "one more"));
}

}  // namespace
}  // namespace ssx
