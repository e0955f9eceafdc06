#include "http/event_writer.h"

namespace ssx::http {

Task<Result<void>> EventWriter::send(const ServerEvent& event) {
  text_.clear();
  return write(append_event(text_, event));
}

Task<Result<void>> EventWriter::send(std::string_view data) {
  return send(ServerEvent{.data = data});
}

Task<Result<void>> EventWriter::comment(std::string_view text) {
  text_.clear();
  append_event_comment(text_, text);
  return write({});
}

Task<Result<void>> EventWriter::write(Result<void> added) {
  if (!added) co_return added;
  co_return co_await body_.write(text_);
}

std::optional<std::string_view> last_event_id(const Request& request) noexcept {
  return request.header(FieldName::kLastEventId);
}

}  // namespace ssx::http
