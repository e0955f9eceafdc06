#include "tests/bench/questions/string_callees.h"

namespace ssx::questions {

unsigned ends_by_view(std::string_view text) noexcept {
  return static_cast<unsigned char>(text.front()) + static_cast<unsigned char>(text.back());
}

unsigned ends_by_string(const std::string& text) noexcept {
  return static_cast<unsigned char>(text.front()) + static_cast<unsigned char>(text.back());
}

}  // namespace ssx::questions
