#include "ssxrver/daemon/database_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ServerConfig load(const std::string& text) {
  auto config = ServerConfig::parse(text, {"task_processes=1"}, "t");
  EXPECT_TRUE(config) << (config ? "" : config.error().text());
  return config ? *std::move(config) : ServerConfig();
}

std::vector<std::string> problems(const std::string& text) {
  const auto checked = check_databases(load(text));
  if (checked) return {};
  EXPECT_EQ(checked.error().code(), ExitCode::kConfig);
  return checked.error().sentences();
}

class DatabaseChecks : public testing::Test {
 protected:
  std::vector<std::string> of_file(const std::string& path) {
    return problems(R"({"databases": {"notes": {"driver": "sqlite", "file": ")" + path + "\"}}}");
  }
  const test::TempDir folder_;
};

TEST_F(DatabaseChecks, AFileMayBeThereOrBeMade) {
  EXPECT_THAT(problems("{}"), IsEmpty());
  EXPECT_THAT(problems(R"({"databases": {"cache": {"driver": "sqlite"}}})"), IsEmpty());
  EXPECT_THAT(of_file(folder_.file("new.db")), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(folder_.file("new.db"))) << "only looked at";
  EXPECT_THAT(of_file(folder_.write("empty.db", "")), IsEmpty());
  EXPECT_THAT(of_file(folder_.write("one.db", std::string("SQLite format 3\0 and so on", 27))),
              IsEmpty());
}

TEST_F(DatabaseChecks, TellsWhatIsWrongWithAFile) {
  EXPECT_THAT(of_file(folder_.file("none/new.db")),
              ElementsAre(HasSubstr("/databases/notes/file: no file can be made in the folder")));
  EXPECT_THAT(of_file(folder_.path()), ElementsAre(HasSubstr("is no regular file")));
  EXPECT_THAT(of_file(folder_.write("text", "SQLite format 2 was another")),
              ElementsAre(HasSubstr("text\" is no database of SQLite")));
  EXPECT_THAT(of_file(folder_.write("short", "SQLite")),
              ElementsAre(HasSubstr("is no database of SQLite")));
}

TEST_F(DatabaseChecks, RightsCount) {
  const std::string path = folder_.write("read_only.db", "");
  ASSERT_EQ(::chmod(path.c_str(), 0400), 0);
  if (::geteuid() == 0) {  // who may do everything
    EXPECT_THAT(of_file(path), IsEmpty());
  } else {
    EXPECT_THAT(of_file(path), ElementsAre(HasSubstr("cannot be opened: Permission denied")));
  }
}

TEST_F(DatabaseChecks, RelativePathsFollowTheWorkingDirectory) {
  const auto in = [](const std::string& folder) {
    return problems(R"({"daemon": {"working_directory": ")" + folder +
                    R"("}, "databases": {"a": {"driver": "sqlite", "file": "x/a.db"}}})");
  };
  EXPECT_THAT(in(folder_.path()), ElementsAre(HasSubstr(folder_.path() + "/x\"")));
  std::filesystem::create_directory(folder_.file("x"));
  EXPECT_THAT(in(folder_.path()), IsEmpty());
}

TEST_F(DatabaseChecks, NamesEachDatabaseAsTheConfigurationDoes) {
  const auto config = load(R"({"mysql": {"mysql_started": "on"},
                               "databases": {"notes": {"driver": "sqlite"}}})");
  EXPECT_EQ(pointer_to_database(config, "mysql"), "/mysql");
  EXPECT_EQ(pointer_to_database(config, "notes"), "/databases/notes");
  EXPECT_EQ(pointer_to_database(load("{}"), "mysql"), "/databases/mysql");
}

TEST_F(DatabaseChecks, ListsEveryProblem) {
  const std::string none = folder_.file("none/x");
  EXPECT_THAT(problems(R"({"databases": {"a": {"driver": "sqlite", "file": ")" + none +
                       R"("}, "b": {"driver": "sqlite", "file": ")" + none + "\"}}}"),
              ElementsAre(HasSubstr("/databases/a/file"), HasSubstr("/databases/b/file")));
}

#ifdef SSX_HAVE_MYSQL
TEST_F(DatabaseChecks, AsksTheClientLibraryForTheCharset) {
  EXPECT_THAT(problems(R"({"mysql": {"mysql_started": "on"}})"), IsEmpty());
  EXPECT_THAT(problems(R"({"mysql": {"mysql_started": "on", "charset": "klingon"}})"),
              ElementsAre(HasSubstr("/mysql: ")));
  EXPECT_THAT(problems(R"({"mysql": {"mysql_started": "off", "charset": "klingon"}})"), IsEmpty());
}
#else
TEST_F(DatabaseChecks, SaysThatThereIsNoMysql) {
  EXPECT_THAT(problems(R"({"mysql": {"mysql_started": "on"}})"),
              ElementsAre(HasSubstr("not in this build")));
}
#endif

}  // namespace
}  // namespace ssx
