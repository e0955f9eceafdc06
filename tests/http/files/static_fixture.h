// A session test whose server serves a folder.
#pragma once

#include <gtest/gtest.h>
#include <utime.h>

#include <string>
#include <string_view>

#include "http/files/static_handler.h"
#include "tests/http/session_fixture.h"
#include "tests/support/temp_dir.h"

namespace ssx::http::test {

class StaticTest : public SessionTest {
 protected:
  StaticTest() {
    files.root = directory.file("root");
    write("index.html", "<h1>home</h1>");
    outside("secret.txt", "canary");
  }
  std::string path_of(std::string_view name) const { return files.root + "/" + std::string(name); }
  /// With a time of change that says when, and not just now.
  void write(std::string_view name, std::string_view text, std::int64_t modified = 784111777) {
    directory.write("root/" + std::string(name), text);
    touch(name, modified);
  }
  void touch(std::string_view name, std::int64_t modified) {
    const utimbuf times{modified, modified};
    EXPECT_EQ(::utime(path_of(name).c_str(), &times), 0);
  }
  void outside(std::string_view name, std::string_view text) { directory.write(name, text); }

  /// Serves the folder below `pattern`.
  void serve(std::string_view pattern = "/*") {
    auto handler = make_static_handler(files);
    ASSERT_TRUE(handler) << handler.error().message();
    ASSERT_TRUE(router.add("", {Method::kGet}, pattern,
                           {*std::move(handler), RouteLimits::from(options), "files"}));
  }
  /// Ends the server, so that what is in `files` counts for the next.
  void restart() {
    client_.reset();
    idle();
    table.reset();
    service.reset();
    router = Router();
  }
  /// The answer on a connection that is kept from one to the next.
  Answer fetch(std::string_view target, std::string_view lines = "") {
    return fetch_with("GET", target, lines);
  }
  Answer fetch_head(std::string_view target, std::string_view lines = "") {
    return fetch_with("HEAD", target, lines);
  }

  ssx::test::TempDir directory;
  StaticOptions files;

 private:
  Answer fetch_with(std::string_view method, std::string_view target, std::string_view lines) {
    if (service == nullptr) {
      if (router.empty()) serve();
    }
    if (!client_ || client_->ended()) client_.emplace(connect());
    Answer answer = ask(*client_, request(method, target, lines));
    if (answer.field("Connection") == "close") client_.reset();
    return answer;
  }
  std::optional<Client> client_;
};

}  // namespace ssx::http::test
