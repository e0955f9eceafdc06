#include "http/sse.h"

#include <algorithm>

namespace ssx::http {
namespace {

bool is_one_line(std::string_view text) noexcept {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

// Each line of the text behind `prefix`; CRLF, CR and LF all end one (HTML Standard 9.2.5).
void append_lines(std::string& out, std::string_view prefix, std::string_view text) {
  while (true) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    out.append(prefix).append(text.substr(0, end)).append(1, '\n');
    if (end == text.size()) return;
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  }
}

}  // namespace

Result<void> append_event(std::string& out, const ServerEvent& event) {
  const bool is_good = is_one_line(event.event) && is_one_line(event.id.value_or("")) &&
                       event.retry.value_or(std::chrono::milliseconds(0)).count() >= 0;
  if (!is_good) return fail(Errc::kBadEvent, "append_event");
  if (!event.event.empty()) out.append("event: ").append(event.event).append(1, '\n');
  if (event.id) out.append("id: ").append(*event.id).append(1, '\n');
  if (event.retry)
    out.append("retry: ").append(std::to_string(event.retry->count())).append(1, '\n');
  if (event.data) append_lines(out, "data: ", *event.data);
  out += '\n';
  return {};
}

void append_event_comment(std::string& out, std::string_view text) {
  append_lines(out, ": ", text);
  out += '\n';
}

}  // namespace ssx::http
