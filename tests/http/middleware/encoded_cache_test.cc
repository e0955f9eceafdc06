#include "http/middleware/encoded_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace ssx::http {
namespace {

using compress::Coding;

struct Source final : LocalShared {
  std::string text = "text";
};

struct EncodedCacheTest : testing::Test {
  LocalRef<EncodedCache::Body> put(const EncodedCache::Key& its, std::string bytes) {
    const LocalRef<EncodedCache::Body> body(new EncodedCache::Body);
    body->bytes = std::move(bytes);
    cache.put(its, body);
    return body;
  }
  LocalRef<Source> source{new Source};
  EncodedCache::Key key{{source->text, source}, Coding::kGzip, "ETag: \"1\"\r\n"};
  EncodedCache cache;
};

TEST_F(EncodedCacheTest, FindsWhatWasMadeOfTheSameSource) {
  EXPECT_FALSE(cache.find(key));
  put(key, "coded");
  ASSERT_TRUE(cache.find(key));
  EXPECT_EQ(cache.find(key)->bytes, "coded");
}

TEST_F(EncodedCacheTest, FindsNothingForAnythingElse) {
  put(key, "coded");
  auto other = key;
  other.coding = Coding::kZstd;
  EXPECT_FALSE(cache.find(other));
  other = key;
  other.fields = "ETag: \"2\"\r\n";
  EXPECT_FALSE(cache.find(other));
  other = key;
  other.source.bytes.remove_suffix(1);
  EXPECT_FALSE(cache.find(other));
  other = key;
  other.source.keep = LocalRef<Source>(new Source);
  EXPECT_FALSE(cache.find(other));
}

TEST_F(EncodedCacheTest, HoldsTheSourceSoThatItsAddressIsNobodyElses) {
  struct Watched final : LocalShared {
    explicit Watched(bool& gone) : is_gone(gone) {}
    ~Watched() override { is_gone = true; }
    bool& is_gone;
  };
  bool is_gone = false;
  put({{"text", LocalRef<Watched>(new Watched(is_gone))}, Coding::kGzip, ""}, "coded");
  EXPECT_FALSE(is_gone);
  cache = EncodedCache();
  EXPECT_TRUE(is_gone);
}

TEST_F(EncodedCacheTest, FreesAllButWhatIsBeingSent) {
  auto other = key;
  other.coding = Coding::kZstd;
  const auto being_sent = put(key, "coded");
  put(other, "coded otherwise");
  EXPECT_EQ(cache.clear(), 2u);
  EXPECT_FALSE(cache.find(key));
  EXPECT_FALSE(cache.find(other));
  EXPECT_EQ(being_sent->bytes, "coded");
  EXPECT_EQ(cache.clear(), 0u);
  put(key, "again");
  EXPECT_TRUE(cache.find(key));
}

TEST_F(EncodedCacheTest, KeepsNoMoreThanItHasPlacesFor) {
  const std::string text((EncodedCache::kSlots + 1) * 64, 'x');
  std::size_t found = 0;
  for (std::size_t i = 0; i <= EncodedCache::kSlots; ++i) {
    const EncodedCache::Key one{{std::string_view(text).substr(i * 64, 1), {}}, Coding::kGzip, ""};
    put(one, "coded");
    EXPECT_TRUE(cache.find(one));
  }
  for (std::size_t i = 0; i <= EncodedCache::kSlots; ++i) {
    const EncodedCache::Key one{{std::string_view(text).substr(i * 64, 1), {}}, Coding::kGzip, ""};
    if (cache.find(one)) ++found;
  }
  EXPECT_LE(found, EncodedCache::kSlots);
}

}  // namespace
}  // namespace ssx::http
