#include "ssxrver/plugin/file/elf_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace ssx {
namespace {

using ::testing::HasSubstr;

std::string whole(const std::string& name) {
  std::ifstream stream(SSX_BAD_PLUGINS "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string object_to(std::string_view bytes) {
  return object_to_elf(as_bytes(bytes.substr(0, kElfHeadSize)), bytes.size());
}

TEST(ElfHead, IsThatOfALibrary) { EXPECT_EQ(object_to(whole("sample.so")), ""); }

TEST(ElfHead, IsNotThatOfAnythingElse) {
  EXPECT_THAT(object_to(""), HasSubstr("is no shared library"));
  EXPECT_THAT(object_to("#!/bin/sh\n"), HasSubstr("is no shared library"));
  std::string bytes = whole("sample.so");
  bytes[16] = 1;  // an object file
  EXPECT_THAT(object_to(bytes), HasSubstr("its ELF type is 1, wanted 3"));
  bytes = whole("sample.so");
  bytes[4] = 1;  // 32 bits
  EXPECT_THAT(object_to(bytes), HasSubstr("another kind of machine"));
  bytes = whole("sample.so");
  bytes[5] = 2;  // big-endian
  EXPECT_THAT(object_to(bytes), HasSubstr("another kind of machine"));
}

/// Where the last byte is that the loader maps: of the segment that ends last.
std::size_t mapped_size(std::string_view bytes) {
  std::size_t size = bytes.size();
  while (object_to(bytes.substr(0, size)).empty()) --size;
  return size + 1;
}

TEST(ElfHead, SaysWhenTheFileEndsBeforeIt) {
  const std::string file = whole("sample.so");
  const std::string_view bytes = file;
  const std::size_t needed = mapped_size(bytes);
  ASSERT_GT(needed, kElfHeadSize);
  for (std::size_t size = 0; size < needed; size += size < 8192 ? 1 : 97) {
    EXPECT_NE(object_to(bytes.substr(0, size)), "") << size;
  }
  EXPECT_EQ(object_to(bytes.substr(0, needed)), "");
}

// Whatever stands there, nothing is read outside of it (the tests run under ASan).
TEST(ElfHead, MayHaveAnyByteAnywhere) {
  const std::string bytes = whole("sample.so");
  for (std::size_t at = 0; at < 512; ++at) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(value);
      const auto why = object_to(changed);
      EXPECT_TRUE(why.empty() || why.starts_with("is ")) << why;
    }
  }
}

}  // namespace
}  // namespace ssx
