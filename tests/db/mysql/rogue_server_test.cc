#include "tests/db/mysql/rogue_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/db/mysql/mysql_fixture.h"

namespace ssx::db::mysql {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecret = "canary-in-a-file-of-the-client";

class RogueServerTest : public MysqlTest {
 protected:
  [[nodiscard]] static MysqlOptions options_for(const RogueServer& server) {
    MysqlOptions options;
    options.unix_socket = server.path();
    options.user = "anybody";
    options.database = "anything";
    options.password = "password-that-nobody-hears";
    options.client_flag = 1U << 7U;  // CLIENT_LOCAL_FILES
    return options;
  }
  static std::string agree(char command, std::string_view) {
    return command == RogueServer::kPrepare ? RogueServer::prepared() : RogueServer::ok();
  }
  std::string canary() { return folder_.write("canary", kSecret); }

 private:
  test::TempDir folder_;
};

TEST_F(RogueServerTest, LetsAnHonestClientIn) {
  RogueServer server(&agree);
  make_driver(options_for(server));
  ASSERT_TRUE(connect());
  EXPECT_TRUE(execute("DO 1"));
  EXPECT_TRUE(run(connection_->ping()));
  EXPECT_TRUE(run(connection_->reset()));
  end(std::move(connection_));
  server.stop();
  EXPECT_THAT(server.heard(), HasSubstr("DO 1"));
  EXPECT_THAT(server.heard(), Not(HasSubstr("nobody-hears")));
}

// The library looks at the version of a server that has not told one yet.
TEST_F(RogueServerTest, AWordOfProgressBeforeTheGreetingIsOverheard) {
  RogueServer server(&agree, RogueServer::progress() + RogueServer::greeting());
  make_driver(options_for(server));
  ASSERT_TRUE(connect());
  EXPECT_TRUE(execute("DO 1"));
  end(std::move(connection_));
}

TEST_F(RogueServerTest, AWordOfProgressInsteadOfAGreetingIsNone) {
  RogueServer server(&agree, RogueServer::progress());
  make_driver(options_for(server), {.connect_timeout = 50ms});
  const auto made = run(driver_->connect());
  ASSERT_FALSE(made);
  EXPECT_EQ(errc(made.error()), Errc::kConnectTimedOut);
}

TEST_F(RogueServerTest, NoFileIsSentWhateverIsAsked) {
  const std::string path = canary();
  for (const char when : {RogueServer::kQuery, RogueServer::kPrepare, RogueServer::kExecute,
                          RogueServer::kPing, RogueServer::kReset}) {
    bool asked = false;
    bool let_in = false;
    RogueServer server([&](char command, std::string_view) {
      const bool is_begin = command == RogueServer::kQuery && !std::exchange(let_in, true);
      if (command == when && !(is_begin && when != RogueServer::kQuery)) {
        asked = true;
        return RogueServer::wants_file(path);
      }
      return command == RogueServer::kPrepare ? RogueServer::prepared() : RogueServer::ok();
    });
    make_driver(options_for(server));
    auto made = run(driver_->connect());
    EXPECT_EQ(made.has_value(), when != RogueServer::kQuery);
    if (made) {
      connection_ = *std::move(made);
      const auto batch = execute("LOAD DATA LOCAL INFILE '" + path + "' INTO TABLE t");
      // To a ping or a reset any packet that is no error is an answer, and no question.
      const bool is_question = when == RogueServer::kPrepare || when == RogueServer::kExecute;
      EXPECT_EQ(batch.has_value(), !is_question);
      if (when == RogueServer::kExecute) {
        EXPECT_THAT(batch.error().text(), HasSubstr("forbidden"));
      }
      if (is_question) {
        EXPECT_EQ(connection_->state(), Connection::State::kBroken);
      } else {
        static_cast<void>(run(connection_->ping()));
        static_cast<void>(run(connection_->reset()));
      }
      end(std::move(connection_));
    }
    server.stop();
    EXPECT_TRUE(asked) << static_cast<int>(when);
    EXPECT_THAT(server.heard(), Not(HasSubstr(kSecret))) << static_cast<int>(when);
  }
}

}  // namespace
}  // namespace ssx::db::mysql
