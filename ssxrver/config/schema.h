// The documents that come from the tables: the JSON schema, the reference, the full example.
//
// Thread: any thread
// Owner:  the caller
// Life:   ssxrver_config_docs writes them, a test says when the committed ones are stale
// Bounds: the documented keys
#pragma once

#include <string>

namespace ssx::config {

/// conf/ssxrver.schema.json (JSON Schema, draft 7), for editors and for other programs.
[[nodiscard]] std::string make_schema();

/// docs/reference/config.md
[[nodiscard]] std::string make_reference();

/// conf/ssxrver.json: every key with its default and a comment; it serves html/.
[[nodiscard]] std::string make_example();

}  // namespace ssx::config
