#include "ssxrver/net/ip_block_list.h"

#include <algorithm>

#include "ssxrver/base/strings.h"
#include "ssxrver/net/error.h"

namespace ssx::net {
namespace {

constexpr std::size_t kIpv4Start = 12;  // bytes of ::ffff: in front

}  // namespace

Result<IpBlockList> IpBlockList::create(const std::vector<std::string>& entries) {
  std::vector<Range> ranges;
  for (const auto& entry : entries) {
    SSX_TRY(const Range range, parse(entry));
    ranges.push_back(range);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  IpBlockList list;
  for (const Range& range : ranges) {
    if (!list.ranges_.empty() && range.first <= list.ranges_.back().last) {
      list.ranges_.back().last = std::max(list.ranges_.back().last, range.last);
    } else {
      list.ranges_.push_back(range);
    }
  }
  return list;
}

bool IpBlockList::is_valid(std::string_view entry) { return parse(entry).has_value(); }

bool IpBlockList::contains(const SocketAddress& peer) const noexcept {
  if (ranges_.empty() || peer.bytes().empty()) return false;
  const Key key = key_of(peer);
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), key,
                       [](const Key& k, const Range& range) { return k < range.first; });
  return after != ranges_.begin() && key <= std::prev(after)->last;
}

Result<IpBlockList::Range> IpBlockList::parse(std::string_view entry) {
  const auto slash = entry.find('/');
  SSX_TRY(const SocketAddress address, SocketAddress::parse(entry.substr(0, slash), 0));
  const std::size_t bits = address.bytes().size() * 8;
  std::size_t prefix = bits;
  if (slash != std::string_view::npos) {
    const auto given = parse_uint(entry.substr(slash + 1));
    if (!given || *given > bits) return fail(Errc::kBadAddress, "prefix length");
    prefix = static_cast<std::size_t>(*given);
  }
  Range range{key_of(address), key_of(address)};
  for (std::size_t bit = 128 - bits + prefix; bit < 128; ++bit) {
    const auto mask = static_cast<std::uint8_t>(0x80U >> (bit % 8));
    range.first[bit / 8] &= static_cast<std::uint8_t>(~mask);
    range.last[bit / 8] |= mask;
  }
  return range;
}

IpBlockList::Key IpBlockList::key_of(const SocketAddress& address) noexcept {
  Key key{};
  const auto bytes = address.bytes();
  if (bytes.size() == 4) key[10] = key[11] = 0xff;
  std::copy(bytes.begin(), bytes.end(), key.begin() + (bytes.size() == 4 ? kIpv4Start : 0));
  return key;
}

}  // namespace ssx::net
