// Keys of capabilities that are not built yet: accepted at their documented default, refused with
// any other value, never ignored.
//
// Thread: any thread
// Owner:  values
// Life:   any
// Bounds: the documented keys
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ssxrver/config/facts.h"
#include "ssxrver/config/reader.h"

namespace ssx::config {

/// What a key is that the default of a free-form object does not name.
enum class Extra : std::uint8_t {
  kUnknown,   ///< a typing error
  kNotBuilt,  ///< an entry of a capability to come
};

/// Whether `found` says the same as `standard`: "60s" and "1m", true and "on", "1k" and 1024 do;
/// what an object leaves out is at its default.
[[nodiscard]] bool says_the_same(const json::Value& found, const json::Value& standard);

/// Tells the reader what differs from `standard`.
void read_later(Reader& reader, const json::Value& found, const json::Value& standard, Extra extra);

/// The members of a JSON object of defaults.
[[nodiscard]] std::vector<Facts> describe_later(std::string_view defaults);

}  // namespace ssx::config
