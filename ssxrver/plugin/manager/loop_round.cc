#include "ssxrver/plugin/manager/loop_round.h"

#include "ssxrver/app/app.h"

namespace ssx::plugins {

void LoopRound::begin(Environment& environment, Each each, Then then) {
  const std::uint32_t workers = environment.worker_count();
  const auto round = std::make_shared<LoopRound>(std::move(each), std::move(then),
                                                 environment.app().loop().handle(), workers);
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    // A loop that has ended destroys what it is given: then the round is never over.
    environment.loop(worker)->loop->post([round, worker] {
      round->run(worker);
      if (--round->left_ > 0) return;
      round->home_.post([round] { round->finish(); });
    });
  }
}

void LoopRound::run(std::uint32_t worker) {
  auto outcome = each_(worker);
  if (outcome) return;
  const MutexLock lock(mutex_);
  if (problem_.empty()) problem_ = std::move(outcome).error();
}

void LoopRound::finish() {
  std::string problem;
  {
    const MutexLock lock(mutex_);
    problem = std::move(problem_);
  }
  if (problem.empty()) return then_(Outcome<>());
  then_(UnexpectedOf<std::string>(std::move(problem)));
}

}  // namespace ssx::plugins
