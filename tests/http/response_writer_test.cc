#include "http/response_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ssx::http {
namespace {

constexpr std::int64_t kSomeDay = 784111777;

class Writer : public testing::Test {
 protected:
  Writer() { options.server_header = "S"; }

  std::string write(Response response, const ResponseWriter::Context& context = {}) {
    ResponseWriter writer(options);
    writer.set_time(kSomeDay);
    writer.write(out, response, context);
    return drain();
  }
  /// What is queued; a part of a file as "<file 7, 10+20>".
  std::string drain() {
    std::string text;
    while (!out.empty()) {
      if (const FileSlice* file = out.front_file()) {
        text += "<file " + std::to_string(file->fd) + ", " + std::to_string(file->offset) + "+" +
                std::to_string(file->size) + ">";
        out.consume(file->size);
        continue;
      }
      std::array<ByteView, 4> parts;
      const std::size_t filled = out.gather(parts);
      for (std::size_t i = 0; i < filled; ++i) {
        ++slices;
        text += as_text(parts[i]);
        out.consume(parts[i].size());
      }
    }
    return text;
  }
  static std::string head(std::string_view status, std::string_view rest) {
    return "HTTP/1.1 " + std::string(status) +
           "\r\nServer: S\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n" + std::string(rest) + "\r\n";
  }

  HttpOptions options;
  OutQueue out;
  int slices = 0;
};

TEST_F(Writer, WritesStatusFieldsAndBody) {
  Response response("hello");
  response.set("X", "y").prepared_fields("P: q\r\n");
  EXPECT_EQ(write(std::move(response)),
            head("200 OK",
                 "Content-Type: text/plain; charset=utf-8\r\nP: q\r\nX: y\r\n"
                 "Content-Length: 5\r\n") +
                "hello");
  EXPECT_EQ(slices, 1);  // in one piece
}

TEST_F(Writer, SaysLengthZeroWhereThereIsNothing) {
  EXPECT_EQ(write(Response(Status::kOk)), head("200 OK", "Content-Length: 0\r\n"));
  EXPECT_EQ(write(Response("")), head("200 OK", "Content-Length: 0\r\n"));
  EXPECT_EQ(write(Response(Status::kResetContent)),
            head("205 Reset Content", "Content-Length: 0\r\n"));
}

TEST_F(Writer, SendsNeitherLengthNorBodyWhereNoneMayBe) {
  for (const Status status : {Status::kNoContent, Status::kNotModified}) {
    Response response("a body all the same");
    response.status(status);
    const std::string said = write(std::move(response));
    EXPECT_TRUE(said.ends_with("GMT\r\n\r\n")) << said;
  }
}

TEST_F(Writer, WritesToHeadWhatItWouldWriteToGetWithoutTheBody) {
  for (const std::size_t size : {0, 5, 100'000}) {
    const std::string to_get = write(Response(std::string(size, 'x')));
    const std::string to_head = write(Response(std::string(size, 'x')), {.is_head = true});
    EXPECT_EQ(to_get, to_head + std::string(size, 'x'));
  }
  const std::string to_head =
      write(Response::file({7, 0, 5'000'000'000, {}, true}), {.is_head = true});
  EXPECT_TRUE(to_head.ends_with("Content-Length: 5000000000\r\n\r\n"));
}

TEST_F(Writer, TellsEachVersionHowTheConnectionGoesOn) {
  const auto has = [this](ResponseWriter::Context context, std::string_view line) {
    return write(Response("x"), context).find(line) != std::string::npos;
  };
  EXPECT_FALSE(has({Version::kHttp11, true, false}, "Connection"));
  EXPECT_TRUE(has({Version::kHttp11, false, false}, "\r\nConnection: close\r\n"));
  EXPECT_TRUE(has({Version::kHttp10, true, false}, "\r\nConnection: keep-alive\r\n"));
  EXPECT_TRUE(has({Version::kHttp10, false, false}, "\r\nConnection: close\r\n"));
}

TEST_F(Writer, WritesStatusesThatNobodyHasRegistered) {
  EXPECT_TRUE(write(Response(static_cast<Status>(299))).starts_with("HTTP/1.1 299 \r\nServer"));
  EXPECT_TRUE(write(Response(static_cast<Status>(599))).starts_with("HTTP/1.1 599 \r\nServer"));
}

TEST_F(Writer, LeavesOutServerAndDate) {
  options.server_header = "";
  EXPECT_EQ(write(Response(Status::kOk)),
            "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT"
            "\r\nContent-Length: 0\r\n\r\n");
  options.date_header = false;
  EXPECT_EQ(write(Response(Status::kOk)), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  options.server_header = std::string(500, 's');
  EXPECT_EQ(write(Response("x")).find(options.server_header), 25u);
}

TEST_F(Writer, CopiesShortBodiesAndSendsLongOnesFromWhereTheyAre) {
  static const std::string text(ResponseWriter::kCopyMax + 1, 'x');
  for (const std::size_t size :
       {ResponseWriter::kCopyMax - 1, ResponseWriter::kCopyMax, ResponseWriter::kCopyMax + 1}) {
    for (const bool is_owned : {false, true}) {
      const auto body = std::string_view(text).substr(0, size);
      slices = 0;
      const std::string said =
          write(is_owned ? Response(std::string(body)) : Response::permanent(body));
      EXPECT_TRUE(said.ends_with("\r\n\r\n" + std::string(body)));
      EXPECT_EQ(slices, size > ResponseWriter::kCopyMax ? 2 : 1) << size;
    }
    EXPECT_TRUE(write(Response(std::string_view(text).substr(0, size))).ends_with("xx"));
  }
}

TEST_F(Writer, KeepsALongBodyUntilItHasLeft) {
  struct Keeper final : LocalShared {
    explicit Keeper(int& alive) : alive_(alive) { ++alive_; }
    ~Keeper() override { --alive_; }
    int& alive_;
    std::string text = std::string(100'000, 'k');
  };
  int alive = 0;
  ResponseWriter writer(options);
  {
    const LocalRef<Keeper> keeper(new Keeper(alive));
    Response response = Response::kept(keeper->text, keeper);
    writer.write(out, response, {});
  }
  EXPECT_EQ(alive, 1);
  EXPECT_TRUE(drain().ends_with("kkk"));
  EXPECT_EQ(alive, 0);
}

TEST_F(Writer, CopiesAViewBecauseItDiesWithTheHandler) {
  ResponseWriter writer(options);
  std::string local(100'000, 'v');
  Response response{std::string_view(local)};
  writer.write(out, response, {});
  local.assign(local.size(), '#');
  EXPECT_TRUE(drain().ends_with("vvv"));
}

TEST_F(Writer, QueuesAPartOfAFile) {
  EXPECT_TRUE(write(Response::file({7, 10, 20, {}, true}))
                  .ends_with("Content-Length: 20\r\n\r\n<file 7, 10+20>"));
  EXPECT_TRUE(write(Response::file({7, 0, 0, {}, true})).ends_with("Content-Length: 0\r\n\r\n"));
}

// What keeps them keeps the file open too.
TEST_F(Writer, SendsKeptBytesFromTheFileThatBeginsWithThem) {
  static const std::string text(ResponseWriter::kCopyMax + 1, 'x');
  const auto kept = [](std::size_t size) {
    return Response::kept(std::string_view(text).substr(0, size), {}, 7);
  };
  EXPECT_TRUE(write(kept(text.size())).ends_with("Content-Length: 4097\r\n\r\n<file 7, 0+4097>"));
  EXPECT_TRUE(write(kept(text.size()), {.is_head = true}).ends_with("Length: 4097\r\n\r\n"));
  EXPECT_TRUE(write(kept(3)).ends_with("\r\n\r\nxxx"));  // shorter than a call is worth
  EXPECT_TRUE(write(kept(0)).ends_with("Content-Length: 0\r\n\r\n"));
  std::vector<Response::Piece> pieces;
  pieces.emplace_back(Response::Kept{"kept", {}, 7});
  EXPECT_TRUE(write(Response::pieces(std::move(pieces))).ends_with("\r\n\r\n<file 7, 0+4>"));
}

TEST_F(Writer, QueuesPiecesInTheirOrder) {
  const auto make = [] {
    std::vector<Response::Piece> pieces;
    pieces.emplace_back(std::string("own,"));
    pieces.emplace_back(FileSlice{7, 10, 20, {}, true});
    pieces.emplace_back(std::string(",own,"));
    pieces.emplace_back(Response::Kept{"kept", {}});
    pieces.emplace_back(FileSlice{8, 0, 1, {}, true});
    return Response::pieces(std::move(pieces));
  };
  const std::string said = write(make());
  EXPECT_TRUE(said.ends_with("Content-Length: 34\r\n\r\nown,<file 7, 10+20>,own,kept<file 8, 0+1>"))
      << said;
  EXPECT_TRUE(write(make(), {Version::kHttp11, true, true}).ends_with("Length: 34\r\n\r\n"));
  EXPECT_TRUE(write(Response::pieces({})).ends_with("Content-Length: 0\r\n\r\n"));
}

TEST_F(Writer, WritesAnswersOneBehindTheOther) {
  ResponseWriter writer(options);
  for (const char* text : {"one", "two", "three"}) {
    Response response(text);
    writer.write(out, response, {});
  }
  const std::string said = drain();
  EXPECT_EQ(slices, 1);
  EXPECT_LT(said.find("one"), said.find("two"));
  EXPECT_TRUE(said.ends_with("Content-Length: 5\r\n\r\nthree"));
}

TEST_F(Writer, TellsTheTimeItWasGiven) {
  ResponseWriter writer(options);
  const auto date = [this, &writer] {
    Response response(Status::kOk);
    writer.write(out, response, {});
    const std::string said = drain();
    return said.substr(said.find("Date: ") + 6, 29);
  };
  EXPECT_EQ(date(), "Thu, 01 Jan 1970 00:00:00 GMT");
  writer.set_time(kSomeDay);
  EXPECT_EQ(date(), "Sun, 06 Nov 1994 08:49:37 GMT");
  writer.set_time(4102444800);
  EXPECT_EQ(date(), "Fri, 01 Jan 2100 00:00:00 GMT");
}

TEST_F(Writer, AsksForABody) {
  ResponseWriter::write_continue(out);
  EXPECT_EQ(drain(), "HTTP/1.1 100 Continue\r\n\r\n");
}

// The largest of everything fits into the room that was reserved.
TEST_F(Writer, HasRoomForTheLongestHead) {
  Response response = Response::file({7, 0, UINT64_MAX, {}, true});
  response.status(Status::kFieldsTooLarge).set("X", std::string(10'000, 'x'));
  const std::string prepared = "P: " + std::string(10'000, 'p') + "\r\n";
  response.prepared_fields(prepared);
  const std::string said = write(std::move(response), {Version::kHttp10, true, false});
  EXPECT_NE(said.find("Content-Length: 18446744073709551615\r\nConnection: keep-alive\r\n\r\n"),
            std::string::npos);
}

}  // namespace
}  // namespace ssx::http
