// A plan, carried out.
//
// Thread: the main thread
// Owner:  the command
// Life:   one call
// Bounds: LoadPlan, CrewOptions
#pragma once

#include "ssxrver/base/startup_error.h"
#include "ssxrver/load/crew.h"
#include "ssxrver/load/load_plan.h"
#include "ssxrver/load/peer.h"

namespace ssx::load {

/// A PeerLoad for each thread. `plan` outlives them.
[[nodiscard]] Crew::MakeLoad peer_loads(const LoadPlan& plan, MakePeers make_peers);

/// With the threads of the plan; Ctrl-C ends it early. The error is a sentence: too many
/// connections for this process, a thread that cannot be had.
StartupResult<Outcome> run_plan(const LoadPlan& plan, const Crew::MakeLoad& make_load,
                                CrewOptions crew, const Crew::OnProgress& on_progress);

}  // namespace ssx::load
