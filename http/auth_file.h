// Who is let in, from a file: what `auth` of a route means, "basic:FILE" or "bearer:FILE".
//
// Thread: before the server starts
// Owner:  the caller has the entries; what is made of them holds hashes, no words
// Life:   the file is read once
// Bounds: kFileMax bytes; BasicAuthOptions::kUsersMax users or BearerOptions::kTokensMax tokens
//
// One entry a line; empty lines and those that begin with "#" say nothing.
//
//   basic:   ann:a good password
//            bob:{sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08}
//            cyd:$2y$05$89cVY3mh1uJepooGFigOxu75G7XzmQz9p4e6ErU9vorakl0aTDBr6
//   bearer:  mF_9.B5f-4.1JqM
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/result.h"

namespace ssx::http {

struct AuthFile {
  static constexpr std::size_t kFileMax = 1 << 20;

  /// What is wrong, for who runs the server: it names the file or the line, and no secret.
  using Problem = std::string;

  /// What basic_auth(), htpasswd_auth() or bearer_token() take; one of the two is empty.
  struct Entries {
    std::map<std::string, std::string> users = {};
    std::vector<std::string> tokens = {};
    /// The first line whose hash takes its time: htpasswd_auth(), on task threads. 0: none has one.
    std::size_t slow_line = 0;
  };
  /// Refused is a file that cannot be read, that others than its owner and group may read, or that
  /// lets nobody in.
  [[nodiscard]] static Expected<Entries, Problem> load(std::string_view auth);

  /// Name to password, to "{sha256:...}", or to what htpasswd makes (crypt::PasswordHash). Hashes
  /// of other kinds are refused: they would be taken for passwords.
  [[nodiscard]] static Expected<std::map<std::string, std::string>, Problem> parse_users(
      std::string_view text);
  /// Each a token68 (RFC 6750 2.1), as no other can be sent.
  [[nodiscard]] static Expected<std::vector<std::string>, Problem> parse_tokens(
      std::string_view text);

  /// The FILE of "basic:FILE"; empty when it is none of the two.
  [[nodiscard]] static std::string_view path_of(std::string_view auth) noexcept;
};

}  // namespace ssx::http
