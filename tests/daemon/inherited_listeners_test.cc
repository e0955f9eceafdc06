#include "ssxrver/daemon/inherited_listeners.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "ssxrver/sys/process.h"

namespace ssx {
namespace {

void say(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

net::ListenOptions named(const std::string& name) {
  net::ListenOptions listener;
  listener.systemd_name = name;
  return listener;
}

TEST(InheritedListeners, AreTakenOnceAndWithTheirNames) {
  say("LISTEN_PID", std::to_string(sys::process_id()));
  say("LISTEN_FDS", "2");
  say("LISTEN_FDNAMES", "web:admin");
  const auto fds = take_inherited_fds();
  ASSERT_EQ(fds.size(), 2U);
  EXPECT_EQ(fds[0].fd, 3);
  EXPECT_EQ(fds[0].name, "web");
  EXPECT_EQ(fds[1].fd, 4);
  EXPECT_EQ(fds[1].name, "admin");
  EXPECT_TRUE(take_inherited_fds().empty()) << "the variables are gone";
}

TEST(InheritedListeners, MeantForAnotherProcessAreLeftAlone) {
  say("LISTEN_PID", "1");
  say("LISTEN_FDS", "1");
  EXPECT_TRUE(take_inherited_fds().empty());
}

TEST(InheritedListeners, GoToTheListenersThatNameThem) {
  std::vector<net::ListenOptions> listeners{named("admin"), {}};
  ASSERT_TRUE(use_inherited({{3, "web"}, {4, "admin"}}, listeners));
  EXPECT_EQ(listeners[0].inherited_fd, 4);
  EXPECT_EQ(listeners[1].inherited_fd, -1);
}

TEST(InheritedListeners, WithoutNamesReplaceTheListenersInOrder) {
  std::vector<net::ListenOptions> listeners(1);
  ASSERT_TRUE(use_inherited({{3, ""}, {4, ""}}, listeners));
  ASSERT_EQ(listeners.size(), 2U);
  EXPECT_EQ(listeners[0].inherited_fd, 3);
  EXPECT_EQ(listeners[1].inherited_fd, 4);
}

TEST(InheritedListeners, ANameThatNobodyHandedOverIsAnError) {
  std::vector<net::ListenOptions> listeners{named("web")};
  const auto used = use_inherited({}, listeners);
  ASSERT_FALSE(used);
  EXPECT_NE(used.error().text().find("\"web\""), std::string::npos);
}

}  // namespace
}  // namespace ssx
