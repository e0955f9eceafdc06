#include "tests/http/llhttp_door.h"

#include <llhttp.h>

#include "http/chunked_decoder.h"
#include "http/client/response_parser.h"
#include "http/request_parser.h"

namespace ssx::http::test {
namespace {

using State = Opinion::State;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

struct Reader {
  Opinion opinion;
  bool in_head = true;
  bool to_head = false;  ///< the response is one to HEAD

  static Reader& of(llhttp_t* parser) { return *static_cast<Reader*>(parser->data); }

  static int on_url(llhttp_t* parser, const char* at, std::size_t size) {
    of(parser).opinion.target.append(at, size);
    return 0;
  }
  static int on_name(llhttp_t* parser, const char* at, std::size_t size) {
    Reader& self = of(parser);
    if (self.in_head) self.opinion.fields.emplace_back(std::string(at, size), "");
    return 0;
  }
  static int on_value(llhttp_t* parser, const char* at, std::size_t size) {
    Reader& self = of(parser);
    if (self.in_head) self.opinion.fields.back().second.append(at, size);
    return 0;
  }
  static int on_body(llhttp_t* parser, const char* at, std::size_t size) {
    of(parser).opinion.body.append(at, size);
    return 0;
  }
  static int on_head(llhttp_t* parser) {
    Reader& self = of(parser);
    self.in_head = false;
    Opinion& opinion = self.opinion;
    opinion.state = State::kNeedMoreBody;
    if (parser->type == HTTP_REQUEST) {
      opinion.method = llhttp_method_name(static_cast<llhttp_method_t>(parser->method));
    } else {
      opinion.status = parser->status_code;
    }
    if (self.to_head) parser->flags |= F_SKIPBODY;
    opinion.major = parser->http_major;
    opinion.minor = parser->http_minor;
    opinion.chunked = (parser->flags & F_CHUNKED) != 0;
    if ((parser->flags & F_CONTENT_LENGTH) != 0) opinion.content_length = parser->content_length;
    return HPE_PAUSED;
  }
  static int on_end(llhttp_t* parser) {
    of(parser).opinion.state = State::kDone;
    return HPE_PAUSED;
  }
};

Opinion read(std::string_view bytes, llhttp_type type, bool to_head) {
  llhttp_settings_t settings;
  llhttp_settings_init(&settings);
  settings.on_url = &Reader::on_url;
  settings.on_header_field = &Reader::on_name;
  settings.on_header_value = &Reader::on_value;
  settings.on_body = &Reader::on_body;
  settings.on_headers_complete = &Reader::on_head;
  settings.on_message_complete = &Reader::on_end;
  Reader reader;
  llhttp_t parser;
  reader.to_head = to_head;
  llhttp_init(&parser, type, &settings);
  parser.data = &reader;

  Opinion& opinion = reader.opinion;
  std::size_t consumed = 0;
  while (true) {
    const llhttp_errno_t code =
        llhttp_execute(&parser, bytes.data() + consumed, bytes.size() - consumed);
    if (code == HPE_OK) break;
    if (code == HPE_PAUSED || code == HPE_PAUSED_UPGRADE) {
      consumed = static_cast<std::size_t>(llhttp_get_error_pos(&parser) - bytes.data());
      if (opinion.state == State::kDone) break;
      opinion.head_size = consumed;
      code == HPE_PAUSED ? llhttp_resume(&parser) : llhttp_resume_after_upgrade(&parser);
      continue;
    }
    // It looks at this one behind the head, where we have looked already.
    const bool in_head = reader.in_head || code == HPE_INVALID_TRANSFER_ENCODING;
    opinion.state = in_head ? State::kRefusedHead : State::kRefusedBody;
    opinion.reason = std::string(in_head ? "head " : "body ") + llhttp_errno_name(code) + ": " +
                     llhttp_get_error_reason(&parser);
    break;
  }
  if (opinion.state == State::kDone) opinion.message_size = consumed;
  for (auto& [name, value] : opinion.fields) value = std::string(trimmed(value));
  return std::move(opinion);
}

// The body of a message that is chunked.
void read_chunks(std::string_view rest, const ParserLimits& limits, std::string_view bytes,
                 Opinion& opinion) {
  ChunkedDecoder decoder(limits);
  while (!rest.empty() && opinion.state == State::kNeedMoreBody) {
    const auto step = decoder.next(rest);
    opinion.body += step.data;
    rest.remove_prefix(step.consumed);
    if (step.progress == Progress::kDone) {
      opinion.state = State::kDone;
      opinion.message_size = bytes.size() - rest.size();
    }
    if (step.progress == Progress::kFailed) {
      opinion.state = State::kRefusedBody;
      opinion.reason = to_string(step.error);
    }
  }
}

/// What the parsers of requests and of responses say alike; false when there is no head.
template <class Parsed, class SomeHead>
bool take_head(Opinion& opinion, const Parsed& parsed, const SomeHead& head) {
  if (parsed.progress == Progress::kNeedMore) return false;
  if (parsed.progress == Progress::kFailed) {
    opinion.state = State::kRefusedHead;
    opinion.reason = to_string(parsed.error);
    return false;
  }
  opinion.state = State::kNeedMoreBody;
  opinion.head_size = parsed.head_size;
  opinion.major = 1;
  opinion.minor = head.version == Version::kHttp11 ? 1 : 0;
  opinion.chunked = head.chunked;
  opinion.content_length = head.content_length;
  for (const Field field : head.fields) opinion.fields.emplace_back(field.name, field.value);
  return true;
}

void take_body(Opinion& opinion, std::string_view rest, std::uint64_t length) {
  opinion.body = rest.substr(0, length);
  if (opinion.body.size() < length) return;
  opinion.state = State::kDone;
  opinion.message_size = opinion.head_size + length;
}

}  // namespace

Opinion llhttp_opinion(std::string_view bytes) { return read(bytes, HTTP_REQUEST, false); }

Opinion llhttp_response_opinion(std::string_view bytes, bool to_head) {
  return read(bytes, HTTP_RESPONSE, to_head);
}

Opinion our_opinion(std::string_view bytes) {
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  Opinion opinion;
  const auto parsed = parser.parse(bytes, head);
  if (!take_head(opinion, parsed, head)) return opinion;
  opinion.method = head.method_text;
  opinion.target = head.target;

  std::string_view rest = bytes.substr(parsed.head_size);
  if (!head.chunked) {
    const std::uint64_t length = head.content_length.value_or(0);
    take_body(opinion, rest, length);
    return opinion;
  }
  read_chunks(rest, limits, bytes, opinion);
  return opinion;
}

Opinion our_response_opinion(std::string_view bytes, bool to_head) {
  const ParserLimits limits;
  ResponseParser parser(limits);
  parser.reset(to_head ? Method::kHead : Method::kGet);
  ResponseHead head;
  Opinion opinion;
  const auto parsed = parser.parse(bytes, head);
  if (!take_head(opinion, parsed, head)) return opinion;
  opinion.status = head.status;

  const std::string_view rest = bytes.substr(parsed.head_size);
  if (head.framing == BodyFraming::kChunked) {
    read_chunks(rest, limits, bytes, opinion);
  } else if (head.framing == BodyFraming::kToClose) {
    opinion.body = rest;
  } else {
    const std::uint64_t length =
        head.framing == BodyFraming::kNone ? 0 : head.content_length.value_or(0);
    take_body(opinion, rest, length);
  }
  return opinion;
}

}  // namespace ssx::http::test
