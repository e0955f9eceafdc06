#include "http/files/files.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/http/files/static_fixture.h"

namespace ssx::http::test {
namespace {

/// A handler that chooses the file itself.
class FilesOfAHandler : public StaticTest {
 protected:
  FilesOfAHandler() {
    write("2026/july.pdf", "July, at length");
    on(Method::kGet, "/reports/{month}",
       [chosen = *Files::open(files)](const Request& request) -> Response {
         if (request.fields().contains(FieldName::kAuthorization) == false)
           return Status::kForbidden;
         return std::move(chosen.answer(request, "2026/" + std::string(request.param("month")))
                              .set("Content-Disposition", "attachment"));
       });
    on(Method::kPost, "/any", [chosen = *Files::open(files)](const Request& request) {
      return chosen.answer(request, request.body().text);
    });
  }
  Answer ask_for(std::string_view month, std::string_view lines = "") {
    return fetch("/reports/" + std::string(month), std::string(kWho).append(lines));
  }
  Answer post_any(std::string_view path) {
    Client client = connect();
    return ask(client, post("/any", path));
  }
  static constexpr std::string_view kWho = "Authorization: Bearer x\r\n";
};

TEST_F(FilesOfAHandler, AreAnsweredWithEverythingThatAFileHas) {
  const Answer whole = ask_for("july.pdf");
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.body, "July, at length");
  EXPECT_EQ(whole.field("Content-Type"), "application/pdf");
  EXPECT_EQ(whole.field("Content-Disposition"), "attachment");
  EXPECT_EQ(fetch("/reports/july.pdf").status, 403);

  const Answer part = ask_for("july.pdf", "Range: bytes=0-3\r\n");
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "July");
  const Answer known = ask_for("july.pdf", "If-None-Match: " + whole.field("ETag") + "\r\n");
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(fetch_head("/reports/july.pdf", kWho).field("Content-Length"), "15");
}

TEST_F(FilesOfAHandler, AreNotFoundWhenTheyAreNotThere) {
  EXPECT_EQ(ask_for("august.pdf").status, 404);
  EXPECT_EQ(post_any("2026").status, 404) << "a folder is no file";
  EXPECT_EQ(post_any("2026/").status, 404);
  EXPECT_EQ(post_any("").status, 404);
}

TEST_F(FilesOfAHandler, NeverLeaveTheirRoot) {
  write(".hidden", "canary");
  for (const char* path : {"../secret.txt", "2026/../../secret.txt", "/etc/passwd", "//etc/passwd",
                           ".hidden", "2026/./../.hidden"}) {
    const Answer answer = post_any(path);
    EXPECT_NE(answer.status, 200) << path;
    EXPECT_EQ(answer.body.find("canary"), std::string::npos) << path;
  }
  EXPECT_EQ(post_any("2026/july.pdf").status, 200);
}

TEST_F(FilesOfAHandler, WantARootThatIsThere) {
  files.root = path_of("nowhere");
  EXPECT_FALSE(Files::open(files));
}

}  // namespace
}  // namespace ssx::http::test
