#include "server_bench/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/error.h"
#include "base/text_format.h"
#include "server_bench/marks.h"
#include "server_bench/parallel.h"
#include "server_bench/prompts.h"

namespace pleiad::server_bench {
namespace {

constexpr int kProbes = 3;  // new prompts that are asked twice
constexpr std::int64_t kWarmUpTokens = 32;
constexpr std::int64_t kLeastWords = 8;  // tokens of a prompt beside the template
// Where answers end when the model likes, it had better have something to say.
constexpr const char* kTalkative = "\nTell a long story";

/// The work on one model.
class Protocol {
 public:
  Protocol(Server& server, const Plan& plan, const Observer& observer, ModelResult& result)
      : server_(server), plan_(plan), observer_(observer), result_(result) {
    options_.context_length = plan.context_length;
    options_.keeps_model = plan.unloads;
  }

  void run() {
    load();
    const Calibration calibration = calibrate_prompts();
    check_lengths();
    PromptMaker prompts(calibration, Beginnings::runs, plan_.seed);
    PromptMaker fresh(calibration, Beginnings::probes, plan_.fresh_seed);
    expected_.machine = machine();
    for (const Shape& shape : plan_.shapes) measure_alone(shape, prompts, fresh);
    for (const int n : plan_.n_parallel) {
      for (const Shape& shape : plan_.shapes) measure_together(shape, n, prompts);
    }
    if (plan_.unloads) unload_all(nullptr);
  }

 private:
  void tell(const std::string& what, std::uint64_t done, std::uint64_t total) const {
    if (observer_.progress) observer_.progress(result_.model + ", " + what, done, total);
  }

  MachineState machine() const {
    return is_local_ ? read_machine_state(plan_.sys) : MachineState{};
  }

  /// `names` (may be null) gets what was there.
  void unload_all(std::vector<std::string>* names) {
    const auto running = server_.running();
    if (!running) return;
    for (const RunningModel& model : *running) {
      server_.unload(model.name);
      if (names) names->push_back(model.name);
    }
    // Some servers answer first and unload then. What stays will be marked.
    for (int i = 0; i < 200 && !server_.running()->empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  void load() {
    tell("loading", 0, 1);
    if (plan_.unloads) unload_all(&result_.unloaded);
    if (server_.manages_models()) {
      const double began = server_.now();
      server_.load(result_.model, options_);
      result_.load_seconds = server_.now() - began;
    }
    const Answer first = server_.ask(result_.model, "Hello", 1, options_);
    result_.first_answer_seconds = first.total_seconds;
    result_.length = server_.length_control();
    result_.context_length = server_.context_length(result_.model);
    expected_.model = result_.model;
    expected_.product = server_.info().product;
    expected_.context_length = result_.context_length;
    expected_.asked_context = plan_.context_length;
    expected_.way_seconds = server_.way_seconds();
    try {
      expected_.listed = server_.models();
    } catch (const Error&) {  // then any name is as good as another
    }
    tell("loading", 1, 1);
  }

  Calibration calibrate_prompts() {
    tell("counting tokens", 0, 1);
    const std::string tail = result_.length == LengthControl::none ? kTalkative : "";
    const auto count = [&](const std::string& prompt) {
      return server_.ask(result_.model, prompt, 1, options_).prompt_tokens;
    };
    Calibration calibration = calibrate(tail, count);
    result_.counted = calibration.counted;
    result_.overhead = calibration.overhead;
    expected_.counted = calibration.counted;
    expected_.overhead = calibration.overhead;
    expected_.exact = calibration.exact;
    expected_.counts_step = calibration.step;
    if (calibration.counted) recount_overhead_ = count(recount_prompt("", 0));
    tell("counting tokens", 1, 1);
    return calibration;
  }

  /// Where hardly anything stands beside the template, a cache would know nearly all of it.
  void check_lengths() const {
    if (!result_.counted) return;
    for (const Shape& shape : plan_.shapes) {
      const std::int64_t left = shape.prompt_tokens - result_.overhead;
      if (left >= kLeastWords) continue;
      throw Error(
          "--shapes: a prompt of {} tokens leaves {} beside the {} of the template of {}; "
          "expected {} or more, as in {}:{}",
          shape.prompt_tokens, std::max<std::int64_t>(left, 0), result_.overhead,
          printable(result_.model, 200), kLeastWords, 2 * (result_.overhead + kLeastWords),
          shape.generated_tokens);
    }
  }

  /// `halfway` (may be null): the machine while it works; afterwards it rests.
  Answer ask(const std::string& what, const std::string& prompt, std::int64_t n_tokens,
             MachineState* halfway = nullptr) {
    const auto total = static_cast<std::uint64_t>(n_tokens);
    tell(what, 0, total);
    const Answer answer =
        server_.ask(result_.model, prompt, n_tokens, options_, [&](std::int64_t n_pieces) {
          tell(what, std::min(static_cast<std::uint64_t>(n_pieces), total - 1), total);
          if (halfway && n_pieces == (n_tokens + 1) / 2) *halfway = machine();
        });
    tell(what, total, total);
    return answer;
  }

  /// Sends what was shown back as a prompt: the server's count of it, beside its count of what it
  /// generated.
  void recount(Answer& answer, std::vector<Answer>& recounts) {
    if (!recount_overhead_ || !answer.generated_tokens || answer.n_pieces == 0) return;
    if (answer.shown.size() < answer.text_bytes + answer.thinking_bytes) return;  // cut off
    try {
      const Answer again =
          ask("counting the answer", recount_prompt(answer.shown, n_recounts_++), 1);
      if (again.prompt_tokens) {
        const std::int64_t more = *again.prompt_tokens - *recount_overhead_;
        answer.recounted_tokens = std::max<std::int64_t>(0, more / expected_.counts_step);
      }
      recounts.push_back(again);
    } catch (const Error&) {  // it is marked, and the next question tells whether it goes on
    }
    answer.recount_failed = !answer.recounted_tokens;
  }

  /// Of many answers, those with the least text for their counts: until some in a row are right.
  void recount_some(Row& row) {
    constexpr int kEnoughRight = 4;
    const auto density = [](const Run* run) {
      return static_cast<double>(run->answer.shown.size()) /
             static_cast<double>(run->answer.generated_tokens.value_or(1) + 1);
    };
    std::vector<Run*> order;
    for (Run& run : row.runs) {
      if (run.failure.empty()) order.push_back(&run);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](const Run* a, const Run* b) { return density(a) < density(b); });
    int n_right = 0;
    for (Run* run : order) {
      recount(run->answer, row.recounts);
      n_right = counts_more_than_shown(run->answer) || run->answer.recount_failed ? 0 : n_right + 1;
      if (n_right == kEnoughRight) break;
    }
  }

  /// What stands beside an answer once it is there.
  void look_around(Run& run) {
    const MachineState now = machine();
    if (!run.machine.megahertz) run.machine.megahertz = now.megahertz;
    run.machine.throttle_events = now.throttle_events;
    run.machine.on_battery = now.on_battery;
    run.running = server_.running();
    if (!run.running) {
      run.context_length = server_.context_length(result_.model);
      return;
    }
    for (const RunningModel& model : *run.running) {
      if (is_same_model(model.name, result_.model)) run.context_length = model.context_length;
    }
  }

  /// Does `work` on a new row, which is kept where it has runs, also when it ends early.
  void in_row(const Shape& shape, int n_parallel, const std::function<void(Row&)>& work) {
    Row row;
    row.shape = shape;
    row.n_parallel = n_parallel;
    try {
      work(row);
    } catch (...) {
      if (!row.runs.empty()) add(std::move(row));
      throw;
    }
    add(std::move(row));
  }

  void measure_alone(const Shape& shape, PromptMaker& prompts, PromptMaker& fresh) {
    ask(shape.name() + ", warm-up", prompts.next(shape.prompt_tokens),
        std::min(kWarmUpTokens, shape.generated_tokens));
    in_row(shape, 1, [&](Row& row) {
      for (int i = 0; i < plan_.n_runs; ++i) {
        Run run;
        run.began = server_.now();
        run.answer = ask(fmt::format("{}, run {} of {}", shape.name(), i + 1, plan_.n_runs),
                         prompts.next(shape.prompt_tokens), shape.generated_tokens, &run.machine);
        look_around(run);
        row.runs.push_back(std::move(run));
      }
      for (int i = 0; i < kProbes; ++i) {
        const std::string prompt = fresh.next(shape.prompt_tokens);
        row.fresh.push_back(ask(shape.name() + ", looking for a cache", prompt, 1));
        row.repeated.push_back(ask(shape.name() + ", looking for a cache", prompt, 1));
      }
      for (Run& run : row.runs) recount(run.answer, row.recounts);
    });
  }

  void measure_together(const Shape& shape, int n_parallel, PromptMaker& prompts) {
    const std::string what = fmt::format("{} x{}", shape.name(), n_parallel);
    const auto n_rounds = static_cast<std::uint64_t>(plan_.n_runs);
    Company company(server_, n_parallel);
    in_row(shape, n_parallel, [&](Row& row) {
      for (std::uint64_t i = 0; i < n_rounds; ++i) {
        tell(what, i, n_rounds);
        std::vector<std::string> questions;
        for (int k = 0; k < n_parallel; ++k) questions.push_back(prompts.next(shape.prompt_tokens));
        Round round = company.ask(result_.model, questions, shape.generated_tokens, options_);
        look_around(round.runs.back());
        row.round_seconds.push_back(round.seconds);
        row.round_tokens.push_back(round.n_tokens);
        for (Run& run : round.runs) row.runs.push_back(std::move(run));
      }
      recount_some(row);
      tell(what, n_rounds, n_rounds);
    });
  }

  void add(Row row) {
    expected_.lone.reset();
    if (row.n_parallel > 1) {
      for (const Row& other : result_.rows) {
        const bool same = other.shape.name() == row.shape.name() && other.n_parallel == 1;
        if (same) expected_.lone = lone_of(other);
      }
    }
    mark(row, expected_);
    for (Run& run : row.runs) {  // judged: they need their memory no more
      run.answer.shown = {};
      run.answer.pieces = {};
    }
    result_.rows.push_back(std::move(row));
    // Events are counted from row to row.
    const MachineState now = machine();
    if (now.throttle_events) expected_.machine.throttle_events = now.throttle_events;
  }

  Server& server_;
  const Plan& plan_;
  const Observer& observer_;
  ModelResult& result_;
  AskOptions options_;
  Expectation expected_;
  std::optional<std::int64_t> recount_overhead_;  // tokens of a prompt around what is counted
  std::size_t n_recounts_ = 0;
  const bool is_local_ = is_local(server_.address());
};

}  // namespace

void measure(Server& server, const Plan& plan, const Observer& observer, ModelResult& result) {
  if (plan.context_length && !server.manages_models()) {
    throw Error("--context: OpenAI's API has no word for a context length");
  }
  Protocol(server, plan, observer, result).run();
}

}  // namespace pleiad::server_bench
