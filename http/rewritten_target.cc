#include "http/rewritten_target.h"

#include <span>

#include "http/method.h"
#include "http/target.h"
#include "ssxrver/base/assert.h"

namespace ssx::http {

Errc RewrittenTarget::set(const TargetTemplate& to, const Params& params, std::string_view query,
                          const ParserLimits& limits) {
  next_text_.clear();
  to.expand(
      next_text_, [&params](std::string_view name) { return params.find(name); }, query);
  if (next_text_.size() > limits.target_max) return Errc::kTargetTooLong;
  Target target;
  const Errc split = split_target(next_text_, Method::kGet, target);
  if (split != Errc::kOk) return split;
  const Errc within = check_path_limits(target.path, limits);
  if (within != Errc::kOk) return within;
  next_path_.resize(target.path.size());
  const auto path = normalise_path(target.path, next_path_);
  if (!path) return static_cast<Errc>(path.error().code().value());
  if (path->data() == next_path_.data()) {
    next_path_.resize(path->size());
  } else {
    next_path_.assign(*path);
  }
  text_.swap(next_text_);
  path_.swap(next_path_);
  query_ = std::string_view(text_).substr(text_.size() - target.query.size());
  return Errc::kOk;
}

void RewrittenTarget::shrink(std::size_t size) noexcept {
  query_ = {};
  for (std::string* text : {&text_, &path_, &next_text_, &next_path_}) {
    text->clear();
    if (text->capacity() > size) std::string().swap(*text);
  }
}

}  // namespace ssx::http
