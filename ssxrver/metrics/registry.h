// Names the counters of many blocks and sums them when somebody asks.
//
// Thread: any thread (a mutex; attaching and scraping are rare, counting never comes here)
// Owner:  the server or the daemon
// Life:   longer than every Registration it gave out
// Bounds: as many series as the tables given to attach() have lines
//
// A layer keeps its counters in a plain struct, one per worker, and describes it once in a table:
//
//   struct NetCounters { metrics::Counter accepted; metrics::Gauge open; };
//   constexpr metrics::Field<NetCounters> kNetFields[] = {
//       {"ssxrver_accepted_total", "Connections accepted.", &NetCounters::accepted},
//       {"ssxrver_connections", "Connections open now.", &NetCounters::open},
//   };
//   auto registration = registry.attach<NetCounters>(kNetFields, counters);
//
// Lines with one name and one label are one series, summed over all blocks. When a block ends, its
// counters and histograms stay in the sums (a total must never go back); its gauges leave them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "ssxrver/base/mutex.h"
#include "ssxrver/metrics/counter.h"

namespace ssx::metrics {

/// `limit="header_bytes"`; no label when the name is empty. Literals: kept by address.
struct Label {
  std::string_view name;
  std::string_view value;
  friend bool operator==(const Label&, const Label&) = default;
};

/// A counter that is no member: one of an array, or one that is computed. `value` only grows, and
/// may be called on any thread.
template <class Block>
struct Read {
  std::uint64_t (*value)(const Block& block, std::size_t index);
  std::size_t index = 0;
};

/// One line of a block's table. Literals: kept by address.
template <class Block>
struct Field {
  std::string_view name;  ///< [a-zA-Z_:][a-zA-Z0-9_:]*, a counter's ends in _total
  std::string_view help;
  std::variant<Counter Block::*, Gauge Block::*, Histogram Block::*, Read<Block>> member;
  Label label{};
};

struct HistogramTotal {
  Buckets buckets;
  std::vector<std::uint64_t> counts;  ///< per bucket, not cumulative; the last is +Inf
  std::uint64_t sum = 0;
};

/// A sum over all blocks: of counters, of gauges, of histograms.
using Total = std::variant<std::uint64_t, std::int64_t, HistogramTotal>;

struct Sample {
  Label label;
  Total total;
};

struct Family {
  std::string_view name;
  std::string_view help;
  std::vector<Sample> samples;  ///< at least one, all of one kind
};

class Registry {
 public:
  /// Ends the block's part in the registry when it is destroyed: before the block is.
  class [[nodiscard]] Registration {
   public:
    Registration() = default;
    Registration(Registration&& other) noexcept;
    Registration& operator=(Registration&& other) noexcept;
    ~Registration();

   private:
    friend class Registry;
    Registration(Registry& registry, const void* block) : registry_(&registry), block_(block) {}
    Registry* registry_ = nullptr;
    const void* block_ = nullptr;
  };

  Registry() = default;
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// A block may be attached once at a time.
  template <class Block>
  Registration attach(std::span<const Field<Block>> fields, const Block& block) {
    const MutexLock lock(mutex_);
    for (const auto& field : fields) {
      add(field.name, field.help, field.label, &block, source_of(field, block));
    }
    return Registration(*this, &block);
  }

  /// Sums now. Names in the order in which they were first attached.
  [[nodiscard]] std::vector<Family> scrape() const;

 private:
  using Source =
      std::variant<const Counter*, const Gauge*, const Histogram*, std::function<std::uint64_t()>>;
  struct Live {
    const void* block;
    Source source;
  };
  struct Series {
    Label label;
    Total retired;  ///< what the blocks that have ended left behind
    std::vector<Live> live;
  };
  struct Named {
    std::string_view name;
    std::string_view help;
    std::deque<Series> series;
  };

  template <class Block>
  static Source source_of(const Field<Block>& field, const Block& block) {
    return std::visit(
        [&block](auto member) {
          if constexpr (std::is_same_v<decltype(member), Read<Block>>) {
            return Source([&block, member] { return member.value(block, member.index); });
          } else {
            return Source(&(block.*member));
          }
        },
        field.member);
  }
  void add(std::string_view name, std::string_view help, Label label, const void* block,
           Source source) SSX_REQUIRES(mutex_);
  void detach(const void* block);
  static void accumulate(Total& total, const Source& source);

  mutable Mutex mutex_;
  std::vector<Named> families_ SSX_GUARDED_BY(mutex_);
};

}  // namespace ssx::metrics
