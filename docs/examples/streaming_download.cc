// Makes a table of any length while it is sent:  streaming_download [PORT]
//
//   curl 'localhost:8080/squares.csv?rows=10000000' | tail -1
//
// The coroutine writes until a megabyte is waiting, and goes on when the client has taken most of
// it: ten million rows need no more memory than ten.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "ssxrver/ssxrver.h"

namespace {

using ssx::Request;
using ssx::Response;

constexpr std::uint64_t kRowsPerPiece = 1000;

ssx::Task<> write_rows(ssx::BodyWriter& body, std::uint64_t rows) {
  std::string piece = "number,square\r\n";
  for (std::uint64_t row = 0; row < rows; ++row) {
    fmt::format_to(std::back_inserter(piece), "{},{}\r\n", row, row * row);
    if ((row + 1) % kRowsPerPiece > 0 && row + 1 < rows) continue;
    if (!co_await body.write(piece)) co_return;
    piece.clear();
  }
  (void)body.trailer("X-Rows", std::to_string(rows));
}

Response squares(const Request& request) {
  const auto rows = request.query_as<std::uint64_t>("rows").value_or(1000);
  Response table =
      Response::stream([rows](ssx::BodyWriter& body) { return write_rows(body, rows); });
  table.content_type("text/csv; charset=utf-8")
      .set("Content-Disposition", "attachment; filename=\"squares.csv\"")
      .set("Trailer", "X-Rows");
  return table;
}

}  // namespace

int main(int argc, char** argv) {
  ssx::App app;
  app.get("/squares.csv", squares);
  return app.listen(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 8080)).run();
}
