#include "eval/battery_run.h"

#include <algorithm>

#include "base/check.h"

namespace pleiad::eval {
namespace {

/// What a reply says: its words, or its calls as JSON.
std::string said(const text::Reply& reply) {
  std::string text = reply.content;
  for (const text::ReplyEvent& call : reply.tool_calls) {
    if (!text.empty()) text += '\n';
    text += call.kind == text::ReplyEvent::Kind::tool_call
                ? to_text(Json{{"name", call.name}, {"arguments", call.arguments}})
                : call.text;
  }
  return text;
}

class BatteryRunner {
 public:
  BatteryRunner(const Answerer& answer, const BatteryRunOptions& options)
      : answer_(answer), options_(options) {}

  BatteryReport run(const std::vector<Check>& checks) {
    for (const Check& check : checks) {
      if (why_skipped(check).empty()) total_ += std::ssize(check.cases) * options_.n_samples;
    }
    BatteryReport report;
    for (const Check& check : checks) {
      report.checks.push_back({check.name, check.what, why_skipped(check),
                               check.right_by_guessing(), std::ssize(check.cases)});
      if (report.checks.back().skipped.empty() && report.complete) {
        report.complete = run_check(check, report);
      }
    }
    return report;
  }

 private:
  std::string why_skipped(const Check& check) const {
    if (!check.skipped.empty()) return check.skipped;
    if (check.has_sounds() && !options_.deaf.empty()) return options_.deaf;
    return check.has_pictures() ? options_.blind : "";
  }

  /// What the case shows or plays.
  std::vector<ShownMedia> media_of(const Case& item) const {
    std::vector<ShownMedia> media;
    for (const Scene& scene : item.pictures) {
      media.push_back(shown_picture(
          std::make_shared<const PictureInput>(draw_scene(scene, options_.vision.default_budget)),
          options_.vision));
    }
    for (const PlayedSound& sound : item.sounds) {
      const auto clip = std::make_shared<const SoundInput>(play(sound));
      media.push_back(shown_sound({&clip, 1}, options_.audio));
    }
    return media;
  }

  bool run_check(const Check& check, BatteryReport& report) {
    CheckResult& result = report.checks.back();
    for (const Case& item : check.cases) {
      for (int sample = 0; sample < options_.n_samples; ++sample) {
        if (!goes_on()) return false;
        CaseResult found = {item.id, sample, false, {}, {}, 0};
        if (!run_case(item, found)) return false;
        result.cases.push_back(std::move(found));
        ++done_;
      }
    }
    goes_on();  // for whoever watches
    return true;
  }

  bool goes_on() const { return !options_.progress || options_.progress(done_, total_); }

  /// False when it was stopped.
  bool run_case(const Case& item, CaseResult& result) const {
    ChatRequest request;
    request.tools = item.tools;
    request.think = options_.think;
    request.generation = options_.generation;
    request.generation.max_tokens = item.max_tokens;
    if (request.generation.sampling.seed) {
      *request.generation.sampling.seed += static_cast<std::uint64_t>(result.sample);
    }
    request.media = media_of(item);
    if (!item.system.empty()) {
      request.messages.push_back({{"role", "system"}, {"content", item.system}});
    }
    ReplyObserver observer;
    observer.wants_more = [&] { return goes_on(); };
    for (const Turn& turn : item.turns) {
      for (const Json& message : turn.messages) request.messages.push_back(message);
      const Result<ChatReply> reply = answer_(request, observer);
      CHECK(reply.ok(), "case {}: {}", item.id, reply.message());
      if (reply.value().reason == FinishReason::cancelled) return false;
      result.generated_tokens += reply.value().stats.generated_tokens;
      result.said.push_back(said(reply.value().reply));
      const Verdict verdict = turn.grade(reply.value());
      result.right = verdict.right;
      result.why = verdict.why;
      if (!verdict.right) {
        if (item.turns.size() > 1) {
          result.why = fmt::format("turn {}: {}", result.said.size(), verdict.why);
        }
        return true;
      }
      request.messages.push_back(assistant_message(reply.value().reply));
    }
    return true;
  }

  const Answerer& answer_;
  const BatteryRunOptions& options_;
  std::int64_t done_ = 0;
  std::int64_t total_ = 0;
};

}  // namespace

std::int64_t CheckResult::right() const {
  return std::count_if(cases.begin(), cases.end(), [](const CaseResult& c) { return c.right; });
}

std::int64_t BatteryReport::n() const {
  std::int64_t sum = 0;
  for (const CheckResult& check : checks) sum += check.n();
  return sum;
}

std::int64_t BatteryReport::right() const {
  std::int64_t sum = 0;
  for (const CheckResult& check : checks) sum += check.right();
  return sum;
}

BatteryReport run_battery(const std::vector<Check>& checks, const std::string& model,
                          const Answerer& answer, const BatteryRunOptions& options) {
  BatteryReport report = BatteryRunner(answer, options).run(checks);
  report.model = model;
  return report;
}

PairedCounts pair_checks(const CheckResult& a, const CheckResult& b) {
  PairedCounts counts;
  const std::size_t n = std::min(a.cases.size(), b.cases.size());
  for (std::size_t i = 0; i < n; ++i) {
    CHECK(a.cases[i].id == b.cases[i].id && a.cases[i].sample == b.cases[i].sample);
    ++counts.n;
    if (a.cases[i].right && !b.cases[i].right) ++counts.only_a;
    if (b.cases[i].right && !a.cases[i].right) ++counts.only_b;
  }
  return counts;
}

PairedCounts pair_reports(const BatteryReport& a, const BatteryReport& b) {
  PairedCounts sum;
  for (std::size_t i = 0; i < std::min(a.checks.size(), b.checks.size()); ++i) {
    const PairedCounts counts = pair_checks(a.checks[i], b.checks[i]);
    sum.n += counts.n;
    sum.only_a += counts.only_a;
    sum.only_b += counts.only_b;
  }
  return sum;
}

}  // namespace pleiad::eval
