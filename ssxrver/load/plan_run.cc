#include "ssxrver/load/plan_run.h"

#include <memory>

#include "ssxrver/load/host_address.h"
#include "ssxrver/load/interrupt.h"
#include "ssxrver/load/peer_load.h"

namespace ssx::load {

StartupResult<Outcome> run_plan(const LoadPlan& plan, const MakePeers& make_peers, CrewOptions crew,
                                const Crew::OnProgress& on_progress) {
  if (auto room = make_room_for(plan.connections); !room)
    return UnexpectedOf<StartupError>(std::move(room).error());
  crew.threads = plan.threads;
  const auto make_load = [&plan, &make_peers](net::EventLoop& loop, std::uint32_t index) {
    return std::make_unique<PeerLoad>(loop, plan, make_peers(loop), index);
  };
  auto outcome = Crew::run(crew, make_load, on_progress, interrupted());
  if (!outcome) return fail_start(ExitCode::kSystem, outcome.error().message());
  return *std::move(outcome);
}

}  // namespace ssx::load
