#include "ssxrver/base/intrusive_list.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace ssx {
namespace {

struct Red;
struct Blue;

struct Item : ListHook<Red>, ListHook<Blue> {
  explicit Item(int number) : id(number) {}
  [[nodiscard]] bool is_red() const { return ListHook<Red>::is_linked(); }
  void leave_red() { ListHook<Red>::unlink(); }
  int id;
};
using RedList = IntrusiveList<Item, Red>;
using BlueList = IntrusiveList<Item, Blue>;

template <class List>
std::string ids(List& list) {
  std::string text;
  for (Item* item = list.front(); item != nullptr; item = list.next(*item)) {
    text += std::to_string(item->id);
  }
  return text;
}

TEST(IntrusiveList, KeepsTheOrderOfPushing) {
  Item one(1), two(2), three(3);
  RedList list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.front(), nullptr);
  EXPECT_EQ(list.pop_front(), nullptr);
  list.push_back(two);
  list.push_back(three);
  list.push_front(one);
  EXPECT_EQ(ids(list), "123");
  EXPECT_EQ(list.pop_front(), &one);
  EXPECT_FALSE(one.is_red());
  EXPECT_EQ(ids(list), "23");
}

TEST(IntrusiveList, UnlinkTakesOutOfTheMiddleAndTwiceIsOnce) {
  Item one(1), two(2), three(3);
  RedList list;
  for (Item* item : {&one, &two, &three}) list.push_back(*item);
  two.leave_red();
  two.leave_red();
  EXPECT_EQ(ids(list), "13");
  list.push_back(two);
  EXPECT_EQ(ids(list), "132");
}

TEST(IntrusiveList, AnElementLeavesWhenItIsDestroyed) {
  RedList list;
  Item one(1);
  list.push_back(one);
  {
    Item two(2);
    list.push_back(two);
    EXPECT_EQ(ids(list), "12");
  }
  EXPECT_EQ(ids(list), "1");
}

TEST(IntrusiveList, TheElementsOutliveTheList) {
  Item one(1);
  {
    RedList list;
    list.push_back(one);
  }
  EXPECT_FALSE(one.is_red());
}

TEST(IntrusiveList, TwoTagsAreTwoLists) {
  Item one(1), two(2);
  RedList red;
  BlueList blue;
  red.push_back(one);
  red.push_back(two);
  blue.push_back(two);
  blue.push_back(one);
  EXPECT_EQ(ids(red), "12");
  EXPECT_EQ(ids(blue), "21");
  one.leave_red();
  EXPECT_EQ(ids(red), "2");
  EXPECT_EQ(ids(blue), "21");
}

TEST(IntrusiveList, SplicingMovesEverythingInOrder) {
  std::vector<std::unique_ptr<Item>> items;
  for (int i = 0; i < 6; ++i) items.push_back(std::make_unique<Item>(i));
  RedList a, b, none;
  for (int i = 0; i < 3; ++i) a.push_back(*items[static_cast<std::size_t>(i)]);
  for (int i = 3; i < 6; ++i) b.push_back(*items[static_cast<std::size_t>(i)]);
  a.splice_back(b);
  EXPECT_EQ(ids(a), "012345");
  EXPECT_TRUE(b.empty());
  a.splice_back(none);
  none.splice_back(a);
  EXPECT_EQ(ids(none), "012345");
  EXPECT_TRUE(a.empty());
  items.erase(items.begin() + 2);
  EXPECT_EQ(ids(none), "01345");
}

}  // namespace
}  // namespace ssx
