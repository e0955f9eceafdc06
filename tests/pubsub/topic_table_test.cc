#include "ssxrver/pubsub/topic_table.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ssx::pubsub {
namespace {

struct Reader : Subscriber {
  explicit Reader(std::string its_name) : name(std::move(its_name)) {}
  const std::string name;
};

class TopicTableTest : public ::testing::Test {
 protected:
  bool join(Reader& reader, std::string_view topic, std::uint8_t note = 0) {
    return table.subscribe(reader, topic, *loop, note);
  }
  std::string visited(std::string_view topic) {
    std::string names;
    table.visit(topic, [&names](Subscriber& who, std::uint8_t note) {
      names += static_cast<Reader&>(who).name + std::to_string(note) + " ";
    });
    return names;
  }

  std::unique_ptr<net::EventLoop> loop = *net::EventLoop::create();
  Hub hub{1};
  TopicTable table{hub, 0};
};

TEST_F(TopicTableTest, VisitsWhoHasSubscribed) {
  Reader a("a"), b("b");
  EXPECT_TRUE(join(a, "news", 1));
  EXPECT_TRUE(join(b, "news", 2));
  EXPECT_TRUE(join(b, "sport"));
  EXPECT_EQ(visited("news"), "a1 b2 ");
  EXPECT_EQ(visited("sport"), "b0 ");
  EXPECT_EQ(visited("weather"), "");
  EXPECT_EQ(table.subscribers_of("news"), 2U);
  EXPECT_EQ(TopicTable::subscriptions_of(b), 2U);
  a.leave_all();
  b.leave_all();
}

TEST_F(TopicTableTest, SubscribesOnceAndTakesTheNewNote) {
  Reader a("a");
  EXPECT_TRUE(join(a, "news", 1));
  EXPECT_FALSE(join(a, "news", 2));
  EXPECT_EQ(visited("news"), "a2 ");
  EXPECT_TRUE(table.unsubscribe(a, "news"));
  EXPECT_FALSE(table.unsubscribe(a, "news"));
  EXPECT_EQ(TopicTable::subscriptions_of(a), 0U);
}

TEST_F(TopicTableTest, IsKnownToTheHubWhileSomebodyIsThere) {
  Reader a("a"), b("b");
  join(a, "news");
  join(b, "news");
  EXPECT_TRUE(hub.find("news")->has_subscribers(0));
  a.leave_all();
  EXPECT_NE(hub.find("news"), nullptr);
  EXPECT_EQ(table.find("news"), hub.find("news").get());
  b.leave_all();
  EXPECT_EQ(hub.find("news"), nullptr);
  EXPECT_EQ(table.find("news"), nullptr);
}

TEST_F(TopicTableTest, LetsAVisitLeaveAndSubscribe) {
  std::vector<std::unique_ptr<Reader>> readers;
  for (const char* name : {"a", "b", "c", "d"}) {
    readers.push_back(std::make_unique<Reader>(name));
    join(*readers.back(), "news");
  }
  Reader late("late");
  std::string names;
  table.visit("news", [&](Subscriber& who, std::uint8_t) {
    names += static_cast<Reader&>(who).name;
    readers[1]->leave_all();  // who is still to come
    who.leave_all();          // who is being visited
    join(late, "news");
  });
  EXPECT_EQ(names, "acd");
  EXPECT_EQ(visited("news"), "late0 ");
  late.leave_all();
}

TEST_F(TopicTableTest, LetsTheLastOneLeaveDuringVisitsWithinVisits) {
  Reader a("a");
  join(a, "news");
  table.visit("news", [&](Subscriber&, std::uint8_t) {
    table.visit("news", [&](Subscriber& who, std::uint8_t) { who.leave_all(); });
    EXPECT_EQ(table.subscribers_of("news"), 0U);
    EXPECT_NE(hub.find("news"), nullptr);
  });
  EXPECT_EQ(hub.find("news"), nullptr);
}

// Against sets, with whatever comes.
TEST_F(TopicTableTest, HoldsWhatASetWouldHold) {
  std::mt19937 random(7);
  std::vector<std::unique_ptr<Reader>> readers;
  for (int i = 0; i < 20; ++i) readers.push_back(std::make_unique<Reader>(std::to_string(i)));
  std::map<std::string, std::set<Subscriber*>> expected;
  for (int step = 0; step < 5000; ++step) {
    Reader& reader = *readers[random() % readers.size()];
    const std::string topic(1, static_cast<char>('a' + random() % 5));
    switch (random() % 8) {
      case 0:
        reader.leave_all();
        for (auto& [name, members] : expected) members.erase(&reader);
        break;
      case 1:
      case 2:
        EXPECT_EQ(table.unsubscribe(reader, topic), expected[topic].erase(&reader) == 1);
        break;
      default:
        EXPECT_EQ(join(reader, topic), expected[topic].insert(&reader).second);
    }
    std::set<Subscriber*> seen;
    table.visit(topic, [&seen](Subscriber& who, std::uint8_t) { seen.insert(&who); });
    ASSERT_EQ(seen, expected[topic]) << "step " << step;
    ASSERT_EQ(table.is_subscribed(reader, topic), expected[topic].contains(&reader));
  }
  for (const auto& reader : readers) reader->leave_all();
}

}  // namespace
}  // namespace ssx::pubsub
