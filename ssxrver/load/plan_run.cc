#include "ssxrver/load/plan_run.h"

#include <memory>
#include <utility>

#include "ssxrver/load/host_address.h"
#include "ssxrver/load/interrupt.h"
#include "ssxrver/load/peer_load.h"

namespace ssx::load {

Crew::MakeLoad peer_loads(const LoadPlan& plan, MakePeers make_peers) {
  return [&plan, make_peers = std::move(make_peers)](net::EventLoop& loop, std::uint32_t index) {
    return std::make_unique<PeerLoad>(loop, plan, make_peers(loop), index);
  };
}

StartupResult<Outcome> run_plan(const LoadPlan& plan, const Crew::MakeLoad& make_load,
                                CrewOptions crew, const Crew::OnProgress& on_progress) {
  if (auto room = make_room_for(plan.connections, plan.threads); !room)
    return UnexpectedOf<StartupError>(std::move(room).error());
  crew.threads = plan.threads;
  auto outcome = Crew::run(crew, make_load, on_progress, interrupted());
  if (!outcome) return fail_start(ExitCode::kSystem, outcome.error().message());
  return *std::move(outcome);
}

}  // namespace ssx::load
