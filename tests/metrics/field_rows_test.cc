#include "ssxrver/metrics/field_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <variant>

namespace ssx::metrics {
namespace {

struct Block {
  std::array<std::uint64_t, 3> counts{10, 20, 30};
};
std::uint64_t count_of(const Block& block, std::size_t index) { return block.counts[index]; }

TEST(FieldRows, AreThoseOfTheRange) {
  constexpr std::array<std::string_view, 3> kNames{"none", "one", "two"};
  std::vector<Field<Block>> fields{{"first_total", "What stood there.", Read<Block>{&count_of, 0}}};
  append_rows(fields, {"rows_total", "Rows by kind.", "kind"}, &count_of, 1, kNames.size(),
              [&kNames](std::size_t i) { return kNames[i]; });
  ASSERT_EQ(fields.size(), 3U);
  const Block block;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    EXPECT_EQ(fields[i].name, "rows_total");
    EXPECT_EQ(fields[i].help, "Rows by kind.");
    EXPECT_EQ(fields[i].label, (Label{"kind", kNames[i]}));
    const auto& read = std::get<Read<Block>>(fields[i].member);
    EXPECT_EQ(read.value(block, read.index), 10 * (i + 1));
  }
}

}  // namespace
}  // namespace ssx::metrics
