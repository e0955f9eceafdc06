#include "ssxrver/sys/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ssxrver/sys/file.h"
#include "tests/sys/fails_with.h"

namespace ssx::sys {
namespace {

using ::testing::HasSubstr;

TEST(MemoryFile, KeepsItsBytesOnceItIsSealed) {
  const auto file = create_memory_file("kept");
  ASSERT_TRUE(file);
  ASSERT_TRUE(write(file->get(), as_bytes("abc")));
  ASSERT_TRUE(seal_memory_file(file->get()));
  EXPECT_TRUE(fails_with(pwrite(file->get(), as_bytes("x"), 0), EPERM, "pwrite"));
  EXPECT_TRUE(fails_with(ftruncate(file->get(), 1), EPERM, "ftruncate"));
  EXPECT_TRUE(fails_with(seal_memory_file(file->get()), EPERM, "seal_memory_file"));
}

TEST(MemoryFile, HasANameOfBoundedLength) {
  EXPECT_TRUE(create_memory_file(std::string(249, 'n').c_str()));
  EXPECT_TRUE(
      fails_with(create_memory_file(std::string(250, 'n').c_str()), EINVAL, "create_memory_file"));
  EXPECT_TRUE(fails_with(seal_memory_file(kNotOpen), EBADF, "seal_memory_file"));
}

TEST(Library, GivesItsSymbolsUntilItIsClosed) {
  const auto library = open_library("libm.so.6");
  ASSERT_TRUE(library) << library.error();
  const auto symbol = find_symbol(*library, "cos");
  ASSERT_TRUE(symbol) << symbol.error();
  const auto cosine = reinterpret_cast<double (*)(double)>(*symbol);
  EXPECT_EQ(cosine(0), 1);
  EXPECT_TRUE(is_loaded("libm.so.6"));
  EXPECT_FALSE(is_loaded("libnone.so.6"));
  EXPECT_TRUE(close_library(*library));
}

TEST(Library, SaysWhichFileOrSymbolIsNotThere) {
  const auto none = open_library("/nowhere/libnone.so");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error(), HasSubstr("/nowhere/libnone.so"));
  const auto library = open_library("libm.so.6");
  ASSERT_TRUE(library);
  const auto symbol = find_symbol(*library, "no_such_symbol");
  ASSERT_FALSE(symbol);
  EXPECT_THAT(symbol.error(), HasSubstr("no_such_symbol"));
  EXPECT_TRUE(close_library(*library));
}

}  // namespace
}  // namespace ssx::sys
