#include "http/auth_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "http/middleware/authorization.h"
#include "http/middleware/basic_auth.h"
#include "http/middleware/basic_login.h"
#include "http/middleware/bearer_token.h"
#include "http/middleware/htpasswd_auth.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/sys/file.h"

namespace ssx::http {
namespace {

using Problem = AuthFile::Problem;

constexpr std::string_view kBasic = "basic:";
constexpr std::string_view kBearer = "bearer:";

UnexpectedOf<Problem> refuse(std::string why) { return UnexpectedOf<Problem>(std::move(why)); }

UnexpectedOf<Problem> unreadable(const std::string& path, const Error& error) {
  return refuse(fmt::format("\"{}\" cannot be read: {}", path, error.code().message()));
}

Expected<std::string, Problem> read_file(const std::string& path) {
  const auto file = sys::open(path.c_str(), O_RDONLY | O_NONBLOCK);  // a pipe shall not hold us up
  if (!file) return unreadable(path, file.error());
  const auto status = sys::fstat(file->get());
  if (!status) return unreadable(path, status.error());
  if (!S_ISREG(status->st_mode)) return refuse(fmt::format("\"{}\" is not a regular file", path));
  if ((status->st_mode & S_IROTH) != 0)
    return refuse(fmt::format("\"{}\" holds secrets and everybody may read it: chmod o= it", path));
  std::string text;
  std::array<std::byte, 16384> chunk;
  while (true) {
    const auto count = sys::read(file->get(), chunk);
    if (!count) return unreadable(path, count.error());
    if (*count == 0) return text;
    text += as_text(ByteView(chunk).first(*count));
    if (text.size() > AuthFile::kFileMax) return refuse(fmt::format("\"{}\" is too long", path));
  }
}

/// Calls `take(line)` for each entry, which gives what is wrong with it, or "".
template <class Take>
Problem for_each_entry(std::string_view text, Take&& take) {
  Problem problem;
  std::size_t number = 0;
  for_each_part(text, '\n', [&](std::string_view line) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#') || !problem.empty()) return;
    const std::string_view wrong = take(line);
    if (!wrong.empty()) problem = fmt::format("line {}: {}", number, wrong);
  });
  return problem;
}

// "$apr1$...", "$2y$...", "$6$...", "{SHA}...": what htpasswd and crypt make.
bool is_foreign_hash(std::string_view word) noexcept {
  const bool is_crypt = word.starts_with('$') && word.find('$', 1) != std::string_view::npos;
  return is_crypt || (word.starts_with('{') && !word.starts_with("{sha256:"));
}

/// Of a text that parse_users() has taken.
std::size_t find_slow_line(std::string_view text) {
  std::size_t number = 0;
  std::size_t found = 0;
  for_each_part(text, '\n', [&number, &found](std::string_view line) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (found != 0 || line.starts_with('#') || line.find(':') == std::string_view::npos) return;
    if (is_slow_hash(line.substr(line.find(':') + 1))) found = number;
  });
  return found;
}

std::string_view take_user(std::map<std::string, std::string>& users, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == line.size())
    return "expected NAME:PASSWORD or NAME:{sha256:HEX}";
  const std::string_view word = line.substr(colon + 1);
  const bool is_slow = is_slow_hash(word);
  if (!is_slow && is_foreign_hash(word)) {
    return "a hash that is malformed, costs too much, or is of a kind that is not known; known are "
           "{sha256:HEX}, $2y$, $5$, $6$, $y$, $apr1$ and {SHA}";
  }
  if (users.size() == BasicAuthOptions::kUsersMax) return "too many users";
  std::string name(line.substr(0, colon));
  if (!is_login_name(name) || (!is_slow && !hash_of_word(word)))
    return "a control character in the name, or a malformed hash";
  return users.emplace(std::move(name), word).second ? "" : "this user is there already";
}

}  // namespace

std::string_view AuthFile::path_of(std::string_view auth) noexcept {
  for (const std::string_view scheme : {kBasic, kBearer}) {
    if (auth.starts_with(scheme)) return auth.substr(scheme.size());
  }
  return {};
}

Expected<AuthFile::Entries, Problem> AuthFile::load(std::string_view auth) {
  const std::string path(path_of(auth));
  if (path.empty()) return refuse("expected \"basic:FILE\" or \"bearer:FILE\"");
  const auto text = read_file(path);
  if (!text) return refuse(text.error());
  const auto in_file = [&path](const Problem& why) {
    return refuse(fmt::format("\"{}\": {}", path, why));
  };
  Entries entries;
  if (auth.starts_with(kBasic)) {
    auto users = parse_users(*text);
    if (!users) return in_file(users.error());
    entries.users = *std::move(users);
    entries.slow_line = find_slow_line(*text);
  } else {
    auto tokens = parse_tokens(*text);
    if (!tokens) return in_file(tokens.error());
    entries.tokens = *std::move(tokens);
  }
  return entries;
}

Expected<std::map<std::string, std::string>, Problem> AuthFile::parse_users(std::string_view text) {
  std::map<std::string, std::string> users;
  auto problem =
      for_each_entry(text, [&users](std::string_view line) { return take_user(users, line); });
  if (problem.empty() && users.empty()) problem = "no user is in it";
  if (!problem.empty()) return refuse(std::move(problem));
  return users;
}

Expected<std::vector<std::string>, Problem> AuthFile::parse_tokens(std::string_view text) {
  std::vector<std::string> tokens;
  auto problem = for_each_entry(text, [&tokens](std::string_view line) -> std::string_view {
    if (!is_token68(line)) return "expected a token of letters, digits and -._~+/, then =";
    if (tokens.size() == BearerOptions::kTokensMax) return "too many tokens";
    tokens.emplace_back(line);
    return "";
  });
  if (problem.empty() && tokens.empty()) problem = "no token is in it";
  if (!problem.empty()) return refuse(std::move(problem));
  return tokens;
}

}  // namespace ssx::http
