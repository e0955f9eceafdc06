#include "http/middleware/compressible.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/peer.h"

namespace ssx::http {
namespace {

using compress::Coding;

Response text_of(std::size_t size) { return Response::text(std::string(size, 'x')); }

struct CompressibleTest : testing::Test {
  bool is_candidate(const Response& answer) const {
    return Compressible(options).is_candidate(answer);
  }
  bool is_candidate_with(std::string_view name, std::string_view value) const {
    return is_candidate(text_of(2000).set(name, value));
  }
  /// The coding for a client that says this; "" for none.
  std::string chosen(std::string_view accept) const {
    std::string text = "Accept-Encoding: " + std::string(accept);
    Fields fields;
    Fields::Entry& line = fields.add(FieldName::kAcceptEncoding);
    line.name_offset = 0;
    line.name_size = 15;
    line.value_offset = 17;
    line.value_size = static_cast<std::uint16_t>(accept.size());
    fields.bind(text.data());
    const auto coding = Compressible(options).choose(fields);
    return coding ? std::string(compress::to_string(*coding)) : "";
  }
  CompressionOptions options;
};

TEST_F(CompressibleTest, IsWhatIsLongEnough) {
  EXPECT_FALSE(is_candidate(text_of(1023)));
  EXPECT_TRUE(is_candidate(text_of(1024)));
  EXPECT_TRUE(is_candidate(text_of(1025)));
  const std::string text(1024, 'x');
  EXPECT_TRUE(is_candidate(Response(std::string_view(text))));
  EXPECT_FALSE(is_candidate(Response(std::string_view(text).substr(1))));
  EXPECT_TRUE(is_candidate(Response::permanent(text)));
  EXPECT_FALSE(is_candidate(Response::permanent(std::string_view(text).substr(1))));
  EXPECT_TRUE(is_candidate(Response::file(FileSlice{-1, 0, 1024, {}})));
  EXPECT_FALSE(is_candidate(Response::file(FileSlice{-1, 0, 1023, {}})));
  const auto nothing = [](BodyWriter&) -> Task<> { co_return; };
  EXPECT_TRUE(is_candidate(Response::stream(nothing))) << "nobody knows how long it will be";
  EXPECT_TRUE(is_candidate(Response::stream(1024, nothing)));
  EXPECT_FALSE(is_candidate(Response::stream(1023, nothing)));
}

TEST_F(CompressibleTest, IsNothingWithoutContent) {
  EXPECT_FALSE(is_candidate(Status::kOk));
  options.min_size = 0;
  EXPECT_TRUE(is_candidate(text_of(1)));
  EXPECT_FALSE(is_candidate(text_of(2000).status(Status::kNoContent)));
  EXPECT_FALSE(is_candidate(text_of(2000).status(Status::kNotModified)));
  EXPECT_FALSE(is_candidate(text_of(2000).status(Status::kPartialContent)));
  EXPECT_TRUE(is_candidate(text_of(2000).status(Status::kNotFound)));
}

TEST_F(CompressibleTest, IsNothingInPieces) {
  std::vector<Response::Piece> pieces;
  pieces.emplace_back(std::string(2000, 'x'));
  EXPECT_FALSE(is_candidate(Response::pieces(std::move(pieces))));
}

TEST_F(CompressibleTest, IsOfAListedType) {
  EXPECT_FALSE(is_candidate(text_of(2000).content_type("image/png")));
  EXPECT_FALSE(is_candidate(text_of(2000).content_type({}))) << "nobody knows what it is";
  EXPECT_TRUE(is_candidate_with("Content-Type", "text/css"));
  EXPECT_FALSE(is_candidate_with("Content-Type", "image/png"));
  EXPECT_TRUE(is_candidate(text_of(2000).content_type({}).prepared_fields(
      "X-Y: z\r\nContent-Type: text/css\r\nA: b\r\n")));
}

TEST_F(CompressibleTest, IsNotWhatIsToStayAsItIs) {
  EXPECT_FALSE(is_candidate_with("Content-Encoding", "br"));
  EXPECT_FALSE(is_candidate_with("content-range", "bytes 0-1/2"));
  EXPECT_FALSE(is_candidate_with("Content-Digest", "sha-256=:AA=:"));
  EXPECT_FALSE(is_candidate_with("Repr-Digest", "sha-256=:AA=:"));
  EXPECT_FALSE(is_candidate_with("Cache-Control", "no-transform"));
  EXPECT_FALSE(is_candidate_with("Cache-Control", "public, No-Transform , max-age=1"));
  EXPECT_TRUE(is_candidate_with("Cache-Control", "public, max-age=1"));
  EXPECT_TRUE(is_candidate_with("Cache-Control", "x-no-transform"));
  EXPECT_TRUE(is_candidate_with("X-Content-Encoding", "br"));
  EXPECT_FALSE(is_candidate(text_of(2000).prepared_fields("Content-Encoding: gzip\r\n")));
  EXPECT_FALSE(is_candidate(
      text_of(2000).set("Cache-Control", "public").set("Cache-Control", "no-transform")));
}

TEST_F(CompressibleTest, IsNothingWhereAllCodingsAreOff) {
  options.gzip = false;
  EXPECT_FALSE(is_candidate(text_of(2000)));
}

TEST_F(CompressibleTest, TakesTheWeightsOfTheClient) {  // RFC 9110 12.5.3
  EXPECT_EQ(chosen("gzip"), "gzip");
  EXPECT_EQ(chosen("x-gzip"), "gzip");
  EXPECT_EQ(chosen("deflate, GZIP;q=0.001"), "gzip");
  EXPECT_EQ(chosen("*"), "gzip");
  EXPECT_EQ(chosen("gzip;q=0"), "");
  EXPECT_EQ(chosen("*;q=0"), "");
  EXPECT_EQ(chosen("*;q=0, gzip;q=0.5"), "gzip");
  EXPECT_EQ(chosen("identity;q=0"), "") << "nothing is named that could be taken instead";
  EXPECT_EQ(chosen("identity;q=0, *"), "gzip");
  EXPECT_EQ(chosen("identity, gzip;q=0.9"), "");
  EXPECT_EQ(chosen("identity;q=0.5, gzip;q=0.5"), "gzip");
  EXPECT_EQ(chosen(""), "");
  EXPECT_EQ(chosen("br"), "") << "switched off";
}

TEST_F(CompressibleTest, PrefersWhatIsShorterAmongEquals) {
  options.brotli = options.zstd = true;
  const bool is_built =
      compress::is_available(Coding::kBrotli) && compress::is_available(Coding::kZstd);
  SSX_NEEDS_PEER(is_built, "brotli and zstd in the build");
  EXPECT_EQ(chosen("gzip, zstd, br"), "br");
  EXPECT_EQ(chosen("gzip, zstd"), "zstd");
  EXPECT_EQ(chosen("gzip, zstd;q=0.9, br;q=0.8"), "gzip");
  EXPECT_EQ(chosen("gzip;q=0.1, zstd;q=0.9, br;q=0.8"), "zstd");
  EXPECT_EQ(chosen("*, br;q=0"), "zstd");
  options.gzip = false;
  EXPECT_EQ(chosen("gzip"), "");
}

TEST_F(CompressibleTest, GivesNothingToWhoDoesNotAsk) {
  EXPECT_FALSE(Compressible(options).choose(Fields()));
}

}  // namespace
}  // namespace ssx::http
