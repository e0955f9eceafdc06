#include "http/multipart_reader.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "http/fault.h"
#include "tests/http/session_fixture.h"
#include "tests/support/temp_dir.h"

namespace ssx::http::test {
namespace {

using testing::HasSubstr;

constexpr std::string_view kType = "Content-Type: multipart/form-data; boundary=b0\r\n";

std::string part(std::string_view disposition, std::string_view content) {
  return std::string("--b0\r\nContent-Disposition: form-data; ")
      .append(disposition)
      .append("\r\n\r\n")
      .append(content)
      .append("\r\n");
}

class MultipartReaders : public SessionTest {
 protected:
  Client connect() {
    if (service != nullptr) return SessionTest::connect();
    on_stream("/names", names);
    any("/whole", names);
    any("/function", Handler([](const Request& r) -> Response {
          const auto reader = MultipartReader::create(r);
          return reader ? "made" : reader.error().message();
        }));
    on_stream("/save", [this](const Request& r) -> Task<Response> { return save(r); });
    return SessionTest::connect();
  }
  void on_stream(std::string_view path, Handler handler) {
    Route route{std::move(handler), RouteLimits::from(options), std::string(path)};
    route.body_mode = BodyMode::kStream;
    ASSERT_TRUE(router.add("", {Method::kPost}, path, std::move(route)));
  }
  /// "name=text;" of every part, texts of ten bytes at the most, "name!" for the files.
  static Task<Response> names(const Request& request) {
    auto reader = MultipartReader::create(request);
    if (!reader) co_return answer_to_error(request, reader.error());
    std::string all;
    while (true) {
      const auto part = co_await reader->next();
      if (!part) co_return answer_to_error(request, part.error());
      if (*part == nullptr) break;
      all += (*part)->name();
      if ((*part)->is_file()) {  // not read
        all += "!;";
        continue;
      }
      const auto text = co_await (*part)->text(10);
      if (!text) co_return answer_to_error(request, text.error());
      all.append("=").append(*text).append(";");
      const auto more = co_await (*part)->read();
      if (!more || !more->empty()) all += "more behind the end";
    }
    const auto again = co_await reader->next();
    if (!again || *again != nullptr) all += "something behind the last";
    co_return all;
  }
  Task<Response> save(const Request& request) {
    auto reader = MultipartReader::create(request);
    const auto part = co_await reader->next();
    if (!part) co_return answer_to_error(request, part.error());
    const auto size = co_await (*part)->save(directory.file("new"), 100);
    if (!size) co_return answer_to_error(request, size.error());
    co_return std::to_string(*size) + " " + (*part)->filename() + " " + (*part)->content_type();
  }
  bool is_saved() { return std::filesystem::exists(directory.file("new")); }

  ssx::test::TempDir directory;
};

const std::string kBody = "preamble\r\n" + part("name=\"a\"", "one") +
                          part("name=\"f\"; filename=\"x.txt\"", pattern(3000)) +
                          part("name=\"b\"", "") + "--b0--\r\nepilogue";

TEST_F(MultipartReaders, GivePartAfterPart) {
  Client client = connect();
  for (const char* target : {"/names", "/whole"})
    EXPECT_EQ(ask(client, post(target, kBody, kType)).body, "a=one;f!;b=;") << target;
}

TEST_F(MultipartReaders, DoNotMindHowItArrives) {
  Client client = connect();
  for (const std::size_t step : {1, 2, 3, 7, 64, 1000}) {
    std::string rest = post("/names", kBody, kType);
    while (!rest.empty()) {
      tell(client, rest.substr(0, step));
      rest.erase(0, step);
    }
    EXPECT_EQ(client.read_response().body, "a=one;f!;b=;") << step;  // on the same connection
  }
}

TEST_F(MultipartReaders, SayWhatIsWrong) {
  Client client = connect();
  const auto status = [this, &client](std::string_view body, std::string_view type = kType) {
    return ask(client, post("/whole", body, type)).status;
  };
  EXPECT_EQ(status("x", "Content-Type: text/plain\r\n"), 415);
  EXPECT_EQ(status("x", "Content-Type: multipart/form-data\r\n"), 400);
  EXPECT_EQ(status(part("name=\"a\"", "one")), 400);  // no final boundary
  EXPECT_EQ(status(part("name=\"a\"", "nine byte") + "--b0--\r\n"), 200);
  EXPECT_EQ(status(part("name=\"a\"", "ten  bytes") + "--b0--\r\n"), 200);
  EXPECT_EQ(status(part("name=\"a\"", "elevenbytes") + "--b0--\r\n"), 413);
  EXPECT_EQ(refused(Errc::kUnfinishedMultipart), 1u);
  EXPECT_EQ(refused(Errc::kNotMultipart), 1u);
  EXPECT_EQ(refused(Errc::kPartTooLarge), 1u);
  EXPECT_THAT(ask(client, post("/function", kBody, kType)).body, HasSubstr("coroutine"));
}

TEST_F(MultipartReaders, KeepToTheNumberOfParts) {
  options.multipart.parts_max = 3;
  Client client = connect();
  EXPECT_EQ(ask(client, post("/whole", kBody, kType)).status, 200);
  EXPECT_EQ(ask(client, post("/whole", part("name=\"z\"", "") + kBody.substr(10), kType)).status,
            413);
  EXPECT_EQ(refused(Errc::kTooManyParts), 1u);
}

TEST_F(MultipartReaders, SaveFiles) {
  const auto upload = [](std::size_t size) {
    return post("/save", part("name=\"f\"; filename=\"x.txt\"", pattern(size)) + "--b0--\r\n",
                kType);
  };
  for (const std::size_t size : {0, 99, 100}) {
    Client client = connect();
    EXPECT_EQ(ask(client, upload(size)).body, std::to_string(size) + " x.txt text/plain");
    EXPECT_EQ(directory.read("new"), pattern(size));
    std::filesystem::remove(directory.file("new"));
  }
  Client client = connect();
  EXPECT_EQ(ask(client, upload(101)).status, 413);
  EXPECT_FALSE(is_saved());
  directory.write("new", "mine");
  Client late = connect();
  EXPECT_EQ(ask(late, upload(5)).status, 500);  // somebody else's file
  EXPECT_EQ(directory.read("new"), "mine");
}

TEST_F(MultipartReaders, LeaveNoFileBehindWhenTheClientGoes) {
  {
    Client client = connect();
    tell(client, without_end(post("/save", part("name=\"f\"; filename=\"x\"", "abc"), kType)));
    EXPECT_TRUE(is_saved());
  }
  idle();
  EXPECT_FALSE(is_saved());
}

}  // namespace
}  // namespace ssx::http::test
