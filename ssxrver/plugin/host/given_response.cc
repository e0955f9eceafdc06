#include "ssxrver/plugin/host/given_response.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ssxrver/plugin/host/plugin_stream.h"
#include "ssxrver/sys/file.h"

namespace ssx::plugins {
namespace {

using http::Response;

/// What is said most often, as texts that stay: nothing has to be copied for them.
constexpr std::array kKnownTypes = {Response::kText,
                                    Response::kHtml,
                                    Response::kJson,
                                    std::string_view("application/octet-stream"),
                                    std::string_view("application/problem+json"),
                                    std::string_view("text/css"),
                                    std::string_view("text/html"),
                                    std::string_view("text/javascript"),
                                    std::string_view("text/plain"),
                                    std::string_view("text/plain; version=0.0.4; charset=utf-8")};

struct KeptBody final : LocalShared {
  explicit KeptBody(OwnedBody its_body) noexcept : body(std::move(its_body)) {}
  const OwnedBody body;
};

struct KeptFile final : LocalShared {
  explicit KeptFile(sys::UniqueFd its_file) noexcept : file(std::move(its_file)) {}
  const sys::UniqueFd file;
};

}  // namespace

GivenResponse::GivenResponse(Instance& instance, const std::string& route,
                             const ssxrver_response& given) noexcept
    : instance_(instance), route_(route), given_(&given) {
  if (given.size < sizeof(ssxrver_response)) [[unlikely]] {
    copy_ = copy_table(given);
    given_ = &copy_;
  }
  if (given_->body_kind == SSXRVER_BODY_OWNED || given_->body_kind == SSXRVER_BODY_STREAM)
    owned_.emplace(instance, given_->owner, given_->release);
}

void GivenResponse::put_into(Response& response) noexcept {
  if (!put(response)) [[unlikely]]
    response = http::Status::kInternalServerError;
}

bool GivenResponse::refuse(std::string_view why) const noexcept {
  instance_.failed(route_, why);
  return false;
}

bool GivenResponse::put(Response& response) {
  if (given_->status < 200 || given_->status > 599) [[unlikely]]
    return refuse(fmt::format("status {}, which it may not send", given_->status));
  response.status(static_cast<http::Status>(given_->status));
  if (given_->close != 0) response.close_connection();
  if (!put_body(response)) [[unlikely]]
    return false;
  if (given_->content_type.data != nullptr) put_content_type(response);
  const std::size_t count = given_->fields == nullptr ? 0 : given_->field_count;
  for (std::size_t i = 0; i < count; ++i)
    response.set(to_view(given_->fields[i].name), to_view(given_->fields[i].value));
  if (!response.bad_field().empty()) [[unlikely]]
    return refuse(fmt::format("a field that it may not send: {}", response.bad_field()));
  return true;
}

void GivenResponse::put_content_type(Response& response) const {
  const std::string_view type = to_view(given_->content_type);
  if (type.empty()) {
    response.content_type({});
    return;
  }
  const auto known = std::find(kKnownTypes.begin(), kKnownTypes.end(), type);
  if (known != kKnownTypes.end()) {
    response.content_type(*known);
  } else {
    response.set("Content-Type", type);
  }
}

bool GivenResponse::put_body(Response& response) {
  switch (given_->body_kind) {
    case SSXRVER_BODY_NONE:
      return true;
    case SSXRVER_BODY_COPY:
      response.content().emplace<std::string>(to_view(given_->body));
      return true;
    case SSXRVER_BODY_STATIC:
      response.content().emplace<Response::View>(Response::View{to_view(given_->body)});
      return true;
    case SSXRVER_BODY_OWNED:
      put_owned(response);
      return true;
    case SSXRVER_BODY_STREAM:
      return put_stream(response);
    case SSXRVER_BODY_FILE:
      return put_file(response);
    default:
      return refuse(
          fmt::format("a body of kind {}, which there is none of", unsigned{given_->body_kind}));
  }
}

void GivenResponse::put_owned(Response& response) {
  response.content() = Response::Kept{to_view(given_->body),
                                      LocalRef<LocalShared>(new KeptBody(*std::move(owned_)))};
}

bool GivenResponse::put_stream(Response& response) {
  if (given_->begin == nullptr) return refuse("a stream without begin()");
  Response::Stream stream{make_stream(*std::move(owned_), route_, given_->begin), std::nullopt};
  if (given_->stream_length != SSXRVER_LENGTH_UNKNOWN) stream.length = given_->stream_length;
  response.content() = std::move(stream);
  return true;
}

bool GivenResponse::put_file(Response& response) const {
  const std::string path(to_view(given_->body));
  auto file = sys::open(path.c_str(), O_RDONLY | O_NONBLOCK);  // a fifo is refused, not waited for
  if (!file) return refuse(fmt::format("{}: {}", path, file.error().message()));
  const auto about = sys::fstat(file->get());
  if (!about) return refuse(fmt::format("{}: {}", path, about.error().message()));
  if (!S_ISREG(about->st_mode)) return refuse(fmt::format("{} is no file", path));
  const int fd = file->get();
  response.content() = FileSlice{.fd = fd,
                                 .offset = 0,
                                 .size = static_cast<std::uint64_t>(about->st_size),
                                 .keep = LocalRef<LocalShared>(new KeptFile(*std::move(file)))};
  return true;
}

}  // namespace ssx::plugins
