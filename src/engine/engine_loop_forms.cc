// What constraints allow is worked out beside the step, and a step waits for it a moment: a reply
// whose form takes longer stays behind with its logits, and the others go on.

#include <algorithm>
#include <exception>
#include <vector>

#include "base/clock.h"
#include "engine/engine_loop.h"

namespace pleiad {
namespace {

/// What a step is made longer by, at most, as a share of it; and, where that is next to nothing,
/// what it may be.
constexpr double kWaitShare = 0.1;
constexpr double kLeastWait = 0.001;
/// Where nothing else is to do; what is submitted and cancelled meanwhile is seen then.
constexpr double kHeldSeconds = 0.01;

}  // namespace

// Of the replies that get a token in this step, or whose prompt is computed. Where forced tokens
// are still to be told the constraint is not at the place of the next one yet.
void EngineLoop::order_forms(const Work& work) {
  for (const auto* parts : {&work.generated, &work.prompts}) {
    for (const Part& part : *parts) {
      EngineJob& job = *part.job;
      if (!job.constraint || job.form || job.n_told < job.ahead.size()) continue;
      job.form = preparer_.order(job.constraint, job.form_is_slow);
    }
  }
}

// Of those whose next token is chosen with the logits of this step.
void EngineLoop::await_forms(const Work& work, double step_seconds) {
  std::vector<ConstraintPreparer::OrderPtr> forms;
  for (const Part& part : work.generated) {
    if (part.job->form && part.n == std::ssize(part.job->ahead)) forms.push_back(part.job->form);
  }
  for (const Part& part : work.prompts) {
    if (part.job->form && !part.job->in_prompt()) forms.push_back(part.job->form);
  }
  const double most = std::max(kLeastWait, kWaitShare * step_seconds);
  forms_until_ = monotonic_seconds() + most;
  if (!forms.empty()) preparer_.wait(forms, most);
}

// Its constraint is in use, and may not be asked anything.
bool EngineLoop::is_in_work(const EngineJob& job) const {
  return job.form && !preparer_.outcome(*job.form);
}

// What may come next is known. Where nobody has asked for it yet, as behind forced text, it is
// waited for as long as this step has time for that. Throws what working it out has thrown.
bool EngineLoop::has_form(EngineJob& job) {
  if (!job.constraint) return true;
  if (!job.form) {
    job.form = preparer_.order(job.constraint, job.form_is_slow);
    const double left = forms_until_ - monotonic_seconds();
    if (left > 0) preparer_.wait({&job.form, 1}, left);
  }
  const auto outcome = preparer_.outcome(*job.form);
  if (!outcome) return false;
  job.form_is_slow = outcome->was_slow;
  if (outcome->failure) std::rethrow_exception(outcome->failure);
  return true;
}

void EngineLoop::hold(EngineJob& job, std::span<const float> logits) {
  job.held_logits.assign(logits.begin(), logits.end());
}

void EngineLoop::resume_held() {
  for (const auto& job : running_) {
    if (!job->is_held() || job->has_ended() || is_in_work(*job)) continue;
    const std::vector<float> logits = std::move(job->held_logits);
    job->held_logits.clear();
    choose_token(*job, logits);
  }
}

void EngineLoop::await_held() {
  std::vector<ConstraintPreparer::OrderPtr> forms;
  for (const auto& job : running_) {
    if (job->is_held()) forms.push_back(job->form);
  }
  preparer_.wait_for_any(forms, kHeldSeconds);
}

}  // namespace pleiad
