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

TEST_F(ChatRoomsTest, KnowWhatANameIs) {
  for (const char* name : {"a", "Ada Lovelace", "\xC3\xA4", "<b>"})
    EXPECT_TRUE(ChatRooms::is_name(name)) << name;
  for (const char* name : {"", " a", "a ", "a\n", "\x7F", "\xC3", "\xFF"})
    EXPECT_FALSE(ChatRooms::is_name(name)) << name;
  EXPECT_TRUE(ChatRooms::is_name(std::string(31, 'x')));
  EXPECT_TRUE(ChatRooms::is_name(std::string(32, 'x')));
  EXPECT_FALSE(ChatRooms::is_name(std::string(33, 'x')));
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
}

TEST_F(ChatRoomsTest, BoundWhatIsSaid) {
  ChatRooms rooms = make();
  (void)rooms.join("a", "ada");
  EXPECT_TRUE(rooms.say("a", "ada", quoted(4095)).is_for_all);
  EXPECT_TRUE(rooms.say("a", "ada", quoted(4096)).is_for_all);
  EXPECT_FALSE(rooms.say("a", "ada", quoted(4097)).is_for_all);
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
  const std::string third = rooms.say("a", "ada", R"({"text":"3"})").text;
  EXPECT_NE(rooms.join("a", "e")->welcome.find("[" + second + "," + third + "]"),
            std::string::npos);
}

TEST_F(ChatRoomsTest, KeepNoMoreBytesThanTheyMay) {
  ChatRooms rooms = make(1000);
  (void)rooms.join("a", "ada");
  for (int i = 0; i < 40; ++i) (void)rooms.say("a", "ada", quoted(4096));
  const auto joined = rooms.join("a", "bob");
  EXPECT_LT(joined->welcome.size(), ChatRooms::kHistoryBytesMax + 1000);
  EXPECT_GT(joined->welcome.size(), ChatRooms::kHistoryBytesMax - 5000);
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
  EXPECT_FALSE(rooms.join("a", "one more"));
  for (std::size_t i = 1; i < ChatRooms::kRoomsMax; ++i)
    ASSERT_TRUE(rooms.join("r" + std::to_string(i), "m"));
  EXPECT_FALSE(rooms.join("one more", "m"));
  (void)rooms.leave("r1", "m");
  EXPECT_TRUE(rooms.join("one more", "m"));
  (void)rooms.leave("a", "m0");
  EXPECT_TRUE(rooms.join("a", "one more"));
}

}  // namespace
}  // namespace ssx
