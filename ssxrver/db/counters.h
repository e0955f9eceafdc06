// What a pool of connections counts.
//
// Thread: written under the pool's mutex, read on any thread
// Owner:  the Pool
// Life:   that of the pool
// Bounds: a fixed set; the databases of a process are summed
#pragma once

#include "ssxrver/metrics/registry.h"

namespace ssx::db {

struct alignas(64) PoolCounters {
  metrics::Gauge open;     ///< connections, and those being made
  metrics::Gauge idle;     ///< of them
  metrics::Gauge waiting;  ///< coroutines that wait for one

  metrics::Counter lent;
  metrics::Counter acquire_timed_out;  ///< limit: acquire_timeout (whatever the reason)
  metrics::Counter waiters_max_hit;    ///< limit: waiters_max
  metrics::Counter pool_max_hit;       ///< limit: pool_max (who came then has waited)

  metrics::Counter connected;
  metrics::Counter connect_failed;  ///< connect_timeout or acquire_timeout among the reasons
  // Every connection that was made ends as one of these.
  metrics::Counter
      discarded;             ///< after an error, a timeout or a cancelled query, or not to be reset
  metrics::Counter expired;  ///< idle_timeout or max_lifetime
  metrics::Counter shut_down;  ///< by Pool::close()
  metrics::Counter reset;      ///< came back with something open, or changed

  // Every query that was sent ends as one of these, once, however many batches it had.
  metrics::Counter done;  ///< also one whose rows were not all wanted, or were too many
  metrics::Counter failed;
  metrics::Counter timed_out;                ///< limit: query_timeout
  metrics::Counter cancelled;                ///< nobody waited any more
  metrics::Counter rows_max_hit;             ///< limit: rows_max
  metrics::Counter bytes_max_hit;            ///< limit: bytes_max
  metrics::Counter statement_bytes_max_hit;  ///< limit: statement_bytes_max
};

inline constexpr metrics::Field<PoolCounters> kPoolFields[] = {
    {"ssxrver_db_connections", "Connections to databases.", &PoolCounters::open},
    {"ssxrver_db_connections_idle", "Connections to databases that nobody uses.",
     &PoolCounters::idle},
    {"ssxrver_db_waiting", "Who waits for a connection to a database.", &PoolCounters::waiting},
    {"ssxrver_db_lent_total", "Connections lent.", &PoolCounters::lent},
    {"ssxrver_db_acquire_timeouts_total", "How often nobody had a connection in acquire_timeout.",
     &PoolCounters::acquire_timed_out},
    {"ssxrver_db_waiters_max_hits_total", "How often waiters_max was reached.",
     &PoolCounters::waiters_max_hit},
    {"ssxrver_db_pool_max_hits_total", "How often pool_max was reached.",
     &PoolCounters::pool_max_hit},
    {"ssxrver_db_connects_total", "Attempts to connect.", &PoolCounters::connected, {"end", "ok"}},
    {"ssxrver_db_connects_total",
     "Attempts to connect.",
     &PoolCounters::connect_failed,
     {"end", "failed"}},
    {"ssxrver_db_closed_total",
     "Connections closed.",
     &PoolCounters::discarded,
     {"reason", "error"}},
    {"ssxrver_db_closed_total", "Connections closed.", &PoolCounters::expired, {"reason", "age"}},
    {"ssxrver_db_closed_total",
     "Connections closed.",
     &PoolCounters::shut_down,
     {"reason", "shutdown"}},
    {"ssxrver_db_resets_total", "Connections that came back with something open, or changed.",
     &PoolCounters::reset},
    {"ssxrver_db_queries_total", "Queries by outcome.", &PoolCounters::done, {"end", "ok"}},
    {"ssxrver_db_queries_total", "Queries by outcome.", &PoolCounters::failed, {"end", "failed"}},
    {"ssxrver_db_queries_total",
     "Queries by outcome.",
     &PoolCounters::timed_out,
     {"end", "timed_out"}},
    {"ssxrver_db_queries_total",
     "Queries by outcome.",
     &PoolCounters::cancelled,
     {"end", "cancelled"}},
    {"ssxrver_db_rows_max_hits_total", "How often rows_max was reached.",
     &PoolCounters::rows_max_hit},
    {"ssxrver_db_bytes_max_hits_total", "How often bytes_max was reached.",
     &PoolCounters::bytes_max_hit},
    {"ssxrver_db_statement_bytes_max_hits_total", "How often statement_bytes_max was reached.",
     &PoolCounters::statement_bytes_max_hit},
};

}  // namespace ssx::db
