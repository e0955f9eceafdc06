#include "http/files/files.h"

namespace ssx::http {

Result<Files> Files::open(const StaticOptions& options) {
  SSX_TRY(std::shared_ptr<StaticHandler> handler, StaticHandler::create(options));
  return Files(std::move(handler));
}

}  // namespace ssx::http
