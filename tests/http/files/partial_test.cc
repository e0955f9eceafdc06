#include "http/files/partial.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "tests/support/sim/kernel.h"

namespace ssx::http {
namespace {

LocalRef<CachedFile> in_memory(std::string content) {
  LocalRef<CachedFile> file(new CachedFile);
  file->identity.size = content.size();
  file->content = std::move(content);
  file->fields = "Content-Type: text/x\r\nETag: \"e\"\r\n";
  file->others_at = std::string_view("Content-Type: text/x\r\n").size();
  return file;
}
Response answer(const LocalRef<CachedFile>& file, std::string_view range) {
  return make_partial(*file, file, parse_range(range, file->size(), 16), true);
}

TEST(Partial, OfOneRangeIsThatPart) {
  Response response = answer(in_memory("0123456789"), "bytes=2-4");
  EXPECT_EQ(response.status(), Status::kPartialContent);
  EXPECT_EQ(response.fields(), "Content-Range: bytes 2-4/10\r\n");
  EXPECT_EQ(response.prepared_fields(), "Content-Type: text/x\r\nETag: \"e\"\r\n");
  EXPECT_EQ(std::get<Response::Kept>(response.content()).bytes, "234");
}

TEST(Partial, OfALargeFileIsASlice) {
  const auto file = in_memory("");
  file->fd = sys::UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  file->identity.size = 5'000'000'000;
  Response response = answer(file, "bytes=4000000000-");
  const FileSlice& slice = std::get<FileSlice>(response.content());
  EXPECT_EQ(slice.fd, file->fd.get());
  EXPECT_EQ(slice.offset, 4'000'000'000u);
  EXPECT_EQ(slice.size, 1'000'000'000u);
  EXPECT_TRUE(slice.zero_copy);
  EXPECT_EQ(response.body_size(), 1'000'000'000u);
  EXPECT_EQ(response.fields(), "Content-Range: bytes 4000000000-4999999999/5000000000\r\n");
}

TEST(Partial, OfSeveralRangesHasAPartForEach) {
  Response response = answer(in_memory("0123456789"), "bytes=0-1,-1");
  EXPECT_EQ(response.status(), Status::kPartialContent);
  EXPECT_EQ(response.prepared_fields(), "ETag: \"e\"\r\n");
  constexpr std::string_view kType = "Content-Type: multipart/byteranges; boundary=";
  ASSERT_TRUE(response.fields().starts_with(kType));
  const std::string boundary(response.fields().substr(kType.size(), 32));
  auto& pieces = std::get<std::vector<Response::Piece>>(response.content());
  ASSERT_EQ(pieces.size(), 5u);
  EXPECT_EQ(std::get<std::string>(pieces[0]),
            "--" + boundary + "\r\nContent-Type: text/x\r\nContent-Range: bytes 0-1/10\r\n\r\n");
  EXPECT_EQ(std::get<Response::Kept>(pieces[1]).bytes, "01");
  EXPECT_EQ(
      std::get<std::string>(pieces[2]),
      "\r\n--" + boundary + "\r\nContent-Type: text/x\r\nContent-Range: bytes 9-9/10\r\n\r\n");
  EXPECT_EQ(std::get<Response::Kept>(pieces[3]).bytes, "9");
  EXPECT_EQ(std::get<std::string>(pieces[4]), "\r\n--" + boundary + "--\r\n");
  std::uint64_t sum = 3;
  for (const std::size_t i : {0, 2, 4}) sum += std::get<std::string>(pieces[i]).size();
  EXPECT_EQ(response.body_size(), sum);
}

TEST(Partial, HasABoundaryThatNobodyKnows) {
  const auto file = in_memory("0123456789");
  EXPECT_NE(answer(file, "bytes=0-1,-1").fields(), answer(file, "bytes=0-1,-1").fields());
  sim::FaultPlan plan;
  plan.fail(sim::Call::kRandomBytes, ENOSYS);
  EXPECT_EQ(answer(file, "bytes=0-1,-1").status(), Status::kServiceUnavailable);
}

TEST(Partial, SaysHowLongItIsWhereNothingCanBeGiven) {
  const Response response = answer(in_memory("0123456789"), "bytes=10-");
  EXPECT_EQ(response.status(), Status::kRangeNotSatisfiable);
  EXPECT_EQ(response.fields(), "Content-Range: bytes */10\r\n");
  EXPECT_FALSE(response.has_body());
}

}  // namespace
}  // namespace ssx::http
