// The one place that sees llhttp (the parser of Node.js, in strict mode): a second opinion on what
// a request or a response is. Compiled from Debian's package node-llhttp, into tests only.
//
// Thread: any thread
// Owner:  values
// Life:   any
// Bounds: reads one message
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ssx::http::test {

/// What a parser makes of the first message in some bytes.
struct Opinion {
  enum class State { kNeedMoreHead, kNeedMoreBody, kDone, kRefusedHead, kRefusedBody };

  State state = State::kNeedMoreHead;
  std::string reason;            ///< refused: why, in the parser's own words
  std::size_t head_size = 0;     ///< unless the head was refused or is incomplete
  std::size_t message_size = 0;  ///< kDone
  std::string method, target;    ///< of a request
  int status = 0;                ///< of a response
  int major = 0, minor = 0;
  bool chunked = false;
  std::optional<std::uint64_t> content_length;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;

  [[nodiscard]] bool head_accepted() const {
    return state != State::kNeedMoreHead && state != State::kRefusedHead;
  }
};

inline std::ostream& operator<<(std::ostream& out, const Opinion& opinion) {
  static constexpr const char* kStates[] = {"needs more of the head", "needs more of the body",
                                            "done", "refused the head", "refused the body"};
  return out << kStates[static_cast<int>(opinion.state)] << " (" << opinion.reason << "), head "
             << opinion.head_size << ", message " << opinion.message_size << ", " << opinion.method
             << ' ' << opinion.target << opinion.status << ", " << opinion.fields.size()
             << " fields, " << opinion.body.size() << " bytes";
}

/// llhttp's.
Opinion llhttp_opinion(std::string_view bytes);
/// Of a response, to a HEAD request or to another. A body that ends with the connection has not
/// ended: kNeedMoreBody.
Opinion llhttp_response_opinion(std::string_view bytes, bool to_head);

/// Ours: RequestParser, then ChunkedDecoder.
Opinion our_opinion(std::string_view bytes);
/// Ours: ResponseParser, then ChunkedDecoder.
Opinion our_response_opinion(std::string_view bytes, bool to_head);

}  // namespace ssx::http::test
