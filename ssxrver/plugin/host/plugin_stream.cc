#include "ssxrver/plugin/host/plugin_stream.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include "ssxrver/plugin/host/wait.h"

ssxrver_writer::~ssxrver_writer() {
  pending.cancel();
  if (writing != nullptr) writing->cancel();
}

namespace ssx::plugins {
namespace {

/// Ends by an exception when the plugin says that it failed: the way to cut a body
/// (Response::BodyMaker).
Task<> run_stream(const OwnedBody& body, const std::string& route, StreamBegin begin,
                  http::BodyWriter& to) {
  Instance& instance = body.instance();
  ssxrver_writer writer(instance, route, to);
  std::int32_t status = instance.call(route, [&body, &writer, begin] {
    return begin(body.owner(), &writer, writer.pending.started());
  });
  if (status == SSXRVER_PENDING) {
    co_await writer.pending;
    status = writer.status;
  }
  if (status == SSXRVER_OK) co_return;
  instance.failed(route, "its body ended with an error");
  throw std::runtime_error("the plugin could not make its body");
}

}  // namespace

http::Response::BodyMaker make_stream(OwnedBody body, const std::string& route, StreamBegin begin) {
  return [body = std::make_unique<OwnedBody>(std::move(body)), &route,
          begin](http::BodyWriter& to) { return run_stream(*body, route, begin, to); };
}

}  // namespace ssx::plugins
