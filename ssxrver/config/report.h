// The texts a configuration is made of, and everything that is wrong with them, each with its
// place.
//
// Thread: one writer, while a configuration is loaded
// Owner:  ServerConfig::load
// Life:   until the sentences are made
// Bounds: kProblemsMax problems of each weight are kept, the rest is counted
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/json/json.h"

namespace ssx::config {

/// One text: a file, or the value of a -g option.
struct Source {
  std::string name;          ///< "conf/ssxrver.json", or "-g port=80"
  std::string text;          ///< for line and column
  unsigned mode = 0600;      ///< the file's permissions
  bool is_override = false;  ///< from the command line: stronger than every file
};

class Sources {
 public:
  /// The number for Origin::source.
  std::uint32_t add(Source source);
  [[nodiscard]] const Source& at(const json::Origin& origin) const;
  /// "conf/ssxrver.json:12:5", or "-g port=80"
  [[nodiscard]] std::string place(const json::Origin& origin) const;
  [[nodiscard]] std::size_t count() const noexcept { return all_.size(); }

 private:
  std::vector<Source> all_;
};

enum class Strictness : std::uint8_t { kError, kWarn, kOff };

class Problems {
 public:
  static constexpr std::size_t kProblemsMax = 100;

  /// Stops the start whatever `strict` says: a value that cannot be used.
  void add_error(const json::Origin& origin, std::string pointer, std::string text);
  /// An unknown, duplicate or ill-typed key: `strict` decides what it is.
  void add_slip(const json::Origin& origin, std::string pointer, std::string text);
  /// Never stops the start.
  void add_warning(const json::Origin& origin, std::string pointer, std::string text);

  /// Sentences in the order of files and places: "FILE:LINE:COLUMN: POINTER: TEXT".
  [[nodiscard]] std::vector<std::string> errors(const Sources& sources, Strictness strict) const;
  [[nodiscard]] std::vector<std::string> warnings(const Sources& sources, Strictness strict) const;

 private:
  enum Weight : std::uint8_t { kError, kSlip, kWarning, kWeights };
  struct Problem {
    Weight weight;
    json::Origin origin;
    std::string pointer;
    std::string text;
  };
  void add(Problem problem);
  [[nodiscard]] std::vector<std::string> sentences(const Sources& sources, Weight weight,
                                                   bool with_slips) const;

  std::vector<Problem> all_;
  std::array<std::size_t, kWeights> counts_{};
};

}  // namespace ssx::config
