#include "http/spare_memory.h"

#include "http/request.h"

namespace ssx::http {

bool SpareMemory::add(Holder& holder) noexcept {
  if (holder.is_linked()) return false;
  holders_.push_back(holder);
  return true;
}

void SpareMemory::give_up() noexcept {
  if (!is_out()) return;
  for (Holder* holder = holders_.front(); holder != nullptr; holder = holders_.next(*holder))
    holder->give_up();
}

SpareMemory* spare_memory_of(const Request& request) noexcept { return request.spare_memory_; }

}  // namespace ssx::http
