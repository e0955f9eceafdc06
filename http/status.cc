#include "http/status.h"

namespace ssx::http {

// The status line is kept whole, so that the reason phrase is a part of it and needs no table.
#define SSX_STATUS_LINE(number, reason) \
  case number:                          \
    return "HTTP/1.1 " #number " " reason "\r\n"

std::string_view status_line(Status status) noexcept {
  switch (to_int(status)) {
    SSX_STATUS_LINE(100, "Continue");
    SSX_STATUS_LINE(101, "Switching Protocols");
    SSX_STATUS_LINE(103, "Early Hints");
    SSX_STATUS_LINE(200, "OK");
    SSX_STATUS_LINE(201, "Created");
    SSX_STATUS_LINE(202, "Accepted");
    SSX_STATUS_LINE(203, "Non-Authoritative Information");
    SSX_STATUS_LINE(204, "No Content");
    SSX_STATUS_LINE(205, "Reset Content");
    SSX_STATUS_LINE(206, "Partial Content");
    SSX_STATUS_LINE(300, "Multiple Choices");
    SSX_STATUS_LINE(301, "Moved Permanently");
    SSX_STATUS_LINE(302, "Found");
    SSX_STATUS_LINE(303, "See Other");
    SSX_STATUS_LINE(304, "Not Modified");
    SSX_STATUS_LINE(307, "Temporary Redirect");
    SSX_STATUS_LINE(308, "Permanent Redirect");
    SSX_STATUS_LINE(400, "Bad Request");
    SSX_STATUS_LINE(401, "Unauthorized");
    SSX_STATUS_LINE(402, "Payment Required");
    SSX_STATUS_LINE(403, "Forbidden");
    SSX_STATUS_LINE(404, "Not Found");
    SSX_STATUS_LINE(405, "Method Not Allowed");
    SSX_STATUS_LINE(406, "Not Acceptable");
    SSX_STATUS_LINE(407, "Proxy Authentication Required");
    SSX_STATUS_LINE(408, "Request Timeout");
    SSX_STATUS_LINE(409, "Conflict");
    SSX_STATUS_LINE(410, "Gone");
    SSX_STATUS_LINE(411, "Length Required");
    SSX_STATUS_LINE(412, "Precondition Failed");
    SSX_STATUS_LINE(413, "Content Too Large");
    SSX_STATUS_LINE(414, "URI Too Long");
    SSX_STATUS_LINE(415, "Unsupported Media Type");
    SSX_STATUS_LINE(416, "Range Not Satisfiable");
    SSX_STATUS_LINE(417, "Expectation Failed");
    SSX_STATUS_LINE(421, "Misdirected Request");
    SSX_STATUS_LINE(422, "Unprocessable Content");
    SSX_STATUS_LINE(425, "Too Early");
    SSX_STATUS_LINE(426, "Upgrade Required");
    SSX_STATUS_LINE(428, "Precondition Required");
    SSX_STATUS_LINE(429, "Too Many Requests");
    SSX_STATUS_LINE(431, "Request Header Fields Too Large");
    SSX_STATUS_LINE(451, "Unavailable For Legal Reasons");
    SSX_STATUS_LINE(500, "Internal Server Error");
    SSX_STATUS_LINE(501, "Not Implemented");
    SSX_STATUS_LINE(502, "Bad Gateway");
    SSX_STATUS_LINE(503, "Service Unavailable");
    SSX_STATUS_LINE(504, "Gateway Timeout");
    SSX_STATUS_LINE(505, "HTTP Version Not Supported");
    SSX_STATUS_LINE(507, "Insufficient Storage");
    default:
      return {};
  }
}

#undef SSX_STATUS_LINE

std::string_view reason_phrase(Status status) noexcept {
  constexpr std::size_t kBefore = sizeof("HTTP/1.1 404 ") - 1;
  std::string_view line = status_line(status);
  if (line.empty()) return {};
  line.remove_prefix(kBefore);
  line.remove_suffix(2);
  return line;
}

}  // namespace ssx::http
