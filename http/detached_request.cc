#include "http/detached_request.h"

#include <utility>

#include "ssxrver/sys/file.h"

namespace ssx::http {

Result<std::unique_ptr<DetachedRequest>> DetachedRequest::copy(const Request& source) {
  sys::UniqueFd file;
  if (source.body().is_spooled()) {
    SSX_TRY(file, sys::duplicate(source.body().file));
  }
  return std::unique_ptr<DetachedRequest>(new DetachedRequest(source, std::move(file)));
}

void DetachedRequest::set_stop_token(std::stop_token stop) noexcept {
  request_.stop_ = std::move(stop);
}

DetachedRequest::DetachedRequest(const Request& source, sys::UniqueFd file)
    : head_bytes_(source.fields().base(), source.head_.size),
      path_(source.path()),
      query_(source.query()),
      text_(source.body().text),
      route_(source.route()),
      file_(std::move(file)),
      head_(source.head_),
      params_(source.params_),
      body_{text_, file_.get(), source.body().size, nullptr},
      peer_(source.peer()),
      client_(source.client()),
      request_(head_, path_, params_, body_, peer_, source.worker()) {
  head_.rebase(head_bytes_.data());
  head_.query = query_;  // of a request that was rewritten it is not in the head
  params_.rebase(source.path().data(), path_.data());
  request_.client_ = &client_;
  own_names();
  request_.route_ = route_;
  request_.counters_ = nullptr;  // the loop's
  request_.spare_memory_ = nullptr;
  request_.options_ = source.options_;
  request_.attributes_ = source.attributes_;
}

// They are the route's, which may be replaced when nobody waits for the answer any more.
void DetachedRequest::own_names() {
  for (std::size_t i = 0; i < params_.size(); ++i) names_ += params_[i].name;
  std::size_t at = 0;
  for (std::size_t i = 0; i < params_.size(); ++i) {
    const std::size_t size = params_[i].name.size();
    params_.name(i, std::string_view(names_).substr(at, size));
    at += size;
  }
}

}  // namespace ssx::http
