#include "http/head.h"

#include <functional>

namespace ssx::http {
namespace {

// Moves a view that looks into the head; a literal (the "/" of an absolute-form) stays.
void move_view(std::string_view& view, const char* from, std::size_t size,
               const char* to) noexcept {
  const std::less<const char*> before;
  if (view.data() == nullptr || before(view.data(), from) || before(from + size, view.data())) {
    return;
  }
  view = {to + (view.data() - from), view.size()};
}

}  // namespace

void HeadFacts::rebase(const char* from, const char* to) noexcept {
  for (std::string_view* view : {&method_text, &target, &path, &query, &host}) {
    move_view(*view, from, size, to);
  }
}

void Head::rebase(const char* to) noexcept {
  HeadFacts::rebase(fields.base(), to);
  fields.bind(to);
}

void Head::clear() noexcept {
  method = Method::kUnknown;
  version = Version::kHttp11;
  form = TargetForm::kOrigin;
  path_is_normal = has_query = has_host = chunked = keep_alive = expect_continue = upgrade = false;
  size = 0;
  content_length.reset();
  forget_bytes();
}

void Head::forget_bytes() noexcept {
  method_text = target = path = query = host = {};
  fields.clear();
}

}  // namespace ssx::http
