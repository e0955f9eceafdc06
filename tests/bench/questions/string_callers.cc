#include "tests/bench/questions/string_callers.h"

#include "tests/bench/questions/string_callees.h"

namespace ssx::questions {

// 10 characters fit into a std::string, 27 do not.
unsigned literal_to_view() { return ends_by_view("Connection"); }
unsigned literal_to_string() { return ends_by_string("Connection"); }
unsigned long_literal_to_view() { return ends_by_view("Access-Control-Allow-Origin"); }
unsigned long_literal_to_string() { return ends_by_string("Access-Control-Allow-Origin"); }

unsigned string_to_view(const std::string& text) { return ends_by_view(text); }
unsigned string_to_string(const std::string& text) { return ends_by_string(text); }

// A value of 24 bytes out of a request that has arrived.
unsigned slice_to_view(std::string_view text) { return ends_by_view(text.substr(6, 24)); }
unsigned slice_to_string(std::string_view text) {
  return ends_by_string(std::string(text.substr(6, 24)));
}

}  // namespace ssx::questions
