// The files of a new plugin, as they are in ssxrver/plugin/template.
//
// Thread: immutable
// Owner:  static
// Life:   that of the program
// Bounds: -
#pragma once

#include <span>
#include <string_view>

namespace ssx {

struct TemplateFile {
  std::string_view name;  ///< "@NAME@.cc"
  std::string_view text;
};

[[nodiscard]] std::span<const TemplateFile> template_files() noexcept;

}  // namespace ssx
