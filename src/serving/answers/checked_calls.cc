#include "serving/answers/checked_calls.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "constrain/replies/call_check.h"
#include "constrain/replies/tool_constraint.h"
#include "serving/request_error.h"

namespace pleiad::serving {

CheckedCalls::Found CheckedCalls::look_at(const std::vector<AnswerDelta>& deltas) const {
  using Kind = text::ReplyEvent::Kind;
  Found found;
  for (const AnswerDelta& delta : deltas) {
    found.any_broken = found.any_broken || delta.event.kind == Kind::broken_tool_call;
    if (delta.event.kind != Kind::tool_call) continue;
    found.any_call = true;
    auto problem = constrain::call_problem(request_.tools, request_.tool_paths, delta.event);
    if (!problem) continue;
    if (constrain::is_beyond_help(left_out_, problem->path)) found.may_be_helped = false;
    found.problems.push_back(std::move(problem->message));
  }
  return found;
}

void CheckedCalls::check(const std::vector<AnswerDelta>& deltas) {
  std::ranges::move(look_at(deltas).problems, std::back_inserter(warnings_));
}

void CheckedCalls::read(const AnswerWriter& writer, std::vector<AnswerDelta>& deltas) {
  if (request_.call_pieces) return check(deltas);
  passage_ = Passage::none;
  const bool was_in_call = std::exchange(in_call_, writer.in_call());
  if (in_call_ && !was_in_call) {
    passage_ = Passage::begins;
    begun_.emplace(writer);
    return;
  }
  Found found = look_at(deltas);
  if (!found.any_call && !found.any_broken && !(first_ && writer.ended())) return;
  const bool is_worse = first_ && (found.any_broken || !found.any_call);
  const bool is_held = first_ || found.may_be_helped;
  if (is_worse || (!found.problems.empty() && is_held)) {
    passage_ = Passage::bad;
    if (!first_) first_.emplace(First{writer, std::move(deltas), std::move(found.problems)});
    deltas.clear();
    return;
  }
  passage_ = Passage::good;
  std::ranges::move(found.problems, std::back_inserter(warnings_));
  first_.reset();
}

void CheckedCalls::write_again(std::optional<AnswerWriter>& writer) {
  ++n_again_;
  writer.emplace(*begun_);
  in_call_ = true;
}

std::vector<AnswerDelta> CheckedCalls::take_first(std::optional<AnswerWriter>& writer) {
  if (!first_) return {};  // a later one was good, and telling it failed
  writer.emplace(first_->writer);
  in_call_ = writer->in_call();
  std::vector<AnswerDelta> deltas = std::move(first_->deltas);
  std::ranges::move(first_->warnings, std::back_inserter(warnings_));
  first_.reset();
  return deltas;
}

std::vector<std::string> CheckedCalls::warnings(const EngineResult& result) const {
  std::vector<std::string> out = warnings_;
  if (n_again_ > 0) {
    out.push_back(
        fmt::format("tools: {} of a call with arguments that are not valid {} dropped: {} "
                    "tokens, which are no part of the answer and of no other count",
                    n_again_ == 1 ? "a try" : fmt::format("{} tries", n_again_),
                    n_again_ == 1 ? "was" : "were", result.stats.dropped_tokens));
  }
  if (result.failed_try) {
    out.push_back(fmt::format("tools: the answer ends with the first try of its last call: {}",
                              for_client(as_service_error(*result.failed_try)).message));
  }
  return out;
}

}  // namespace pleiad::serving
