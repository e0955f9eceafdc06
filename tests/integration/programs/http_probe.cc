// What other people's clients are pointed at: a program on the framework with a route for each way
// to answer. It listens on any free port, says where, and ends with SIGTERM.
//
//   /hello                 text            /redirect          302 to /hello
//   /echo                  what was sent   /peer              whom the connection is with
//   /head                  the request's head, as text
//   /sleep/{ms}            answers later   /ticks/{count}     an event every 20 ms
//   /upload[?sha]          streamed: "BYTES CRC32 [SHA-256]"
//   /download/{bytes}      streamed, in chunks; with ?length it has a Content-Length
#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "ssxrver/base/digest.h"
#include "ssxrver/ssxrver.h"

namespace {

using namespace ssx;  // NOLINT(google-build-using-namespace): this is a program
using namespace std::chrono_literals;
using http::BodyWriter;

std::string hex(ByteView bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

/// Byte number i is 'a' + i % 23: a lost or doubled piece shows.
class Pattern {
 public:
  static constexpr std::size_t kPiece = std::size_t{64} << 10;

  Pattern() {
    for (std::size_t i = 0; i < text_.size(); ++i) text_[i] = static_cast<char>('a' + i % 23);
  }
  [[nodiscard]] std::string_view at(std::uint64_t offset, std::uint64_t most) const {
    return std::string_view(text_).substr(offset % 23, std::min<std::uint64_t>(most, kPiece));
  }

 private:
  std::string text_ = std::string(kPiece + 23, ' ');
};

const Pattern& pattern() {
  static const Pattern text;
  return text;
}

Task<Response> upload(const Request& request) {
  const bool with_sha = request.query() == "sha";
  uLong crc = ::crc32(0, nullptr, 0);
  Sha256 sha;
  while (true) {
    const auto piece = co_await request.body().read();
    if (!piece) co_return Status::kInternalServerError;
    if (piece->empty()) break;
    crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(piece->data()), piece->size());
    if (with_sha) sha.update(as_bytes(*piece));
  }
  co_return fmt::format("{} {:08x}{}\n", request.body().size, crc,
                        with_sha ? " " + hex(sha.finish()) : "");
}

Response download(const Request& request) {
  const auto size = request.param_as<std::uint64_t>("bytes");
  if (!size) return Status::kBadRequest;
  auto make = [size = *size](BodyWriter& body) -> Task<> {
    while (body.written() < size) {
      if (!co_await body.write(pattern().at(body.written(), size - body.written()))) co_return;
    }
  };
  return request.query() == "length" ? Response::stream(*size, make) : Response::stream(make);
}

Response ticks(const Request& request) {
  const int count = request.param_as<int>("count").value_or(1);
  Response response = Response::stream([count](BodyWriter& body) -> Task<> {
    for (int i = 0; i < count; ++i) {
      if (i > 0) co_await net::sleep_for(20ms);
      const std::string event = fmt::format("id: {}\ndata: tick {}\n\n", i, i);
      if (!co_await body.write(event)) co_return;
    }
  });
  response.content_type("text/event-stream").set("Cache-Control", "no-store");
  return response;
}

std::string head_of(const Request& request) {
  std::string text = fmt::format("{} {} {}\n", to_string(request.method()), request.target(),
                                 request.version() == http::Version::kHttp11 ? "1.1" : "1.0");
  for (const http::Field field : request.fields()) {
    text.append(field.name).append(": ").append(field.value).append("\n");
  }
  return text;
}

Task<Response> answer_late(const Request& request) {
  co_await net::sleep_for(std::chrono::milliseconds(request.param_as<int>("ms").value_or(0)));
  co_return "slept\n";
}

}  // namespace

int main() {
  AppOptions options;
  options.http.body_spool_threshold = options.http.body_max;  // /echo wants bodies in memory
  App app(options);
  app.get("/hello", [](const Request&) { return "hello\n"; });
  app.any("/echo", [](const Request& request) { return std::string(request.body().text); });
  app.get("/peer", [](const Request& request) { return request.peer().to_string(); });
  app.any("/head", head_of);
  app.get("/redirect", [](const Request&) { return Response::redirect("/hello"); });
  app.get("/sleep/{ms}", answer_late);
  app.get("/ticks/{count}", ticks);
  app.get("/download/{bytes}", download);
  const RouteSettings streamed{.body = http::BodyMode::kStream, .body_max = std::uint64_t{8} << 30};
  app.put("/upload", upload, streamed).post("/upload", upload, streamed);
  return app.workers(2).listen(0).run();
}
