#include "http/client/client_response.h"

namespace ssx::http {

Task<Result<std::string_view>> ClientResponse::read() {
  auto piece = co_await exchange_->read();
  if (!piece && !std::exchange(failed_, true)) exchange_->pool().count_failure(piece.error());
  co_return piece;
}

Task<Result<void>> ClientResponse::read_all() {
  auto whole = co_await exchange_->read_whole(body_max_);
  if (!whole && !std::exchange(failed_, true)) exchange_->pool().count_failure(whole.error());
  co_return whole;
}

}  // namespace ssx::http
