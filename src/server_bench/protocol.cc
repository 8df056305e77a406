#include "server_bench/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "server_bench/marks.h"
#include "server_bench/parallel.h"
#include "server_bench/prompts.h"

namespace pleiad::server_bench {
namespace {

constexpr int kProbes = 3;  // new prompts that are asked twice
constexpr std::int64_t kWarmUpTokens = 32;
// Where answers end when the model likes, it had better have something to say.
constexpr const char* kTalkative = "\nTell a very long story of these words.";

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
    PromptMaker prompts(calibration, plan_.seed);
    PromptMaker fresh(calibration, plan_.fresh_seed);
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
      const double began = monotonic_seconds();
      server_.load(result_.model, options_);
      result_.load_seconds = monotonic_seconds() - began;
    }
    const Answer first = server_.ask(result_.model, "Hello", 1, options_);
    result_.first_answer_seconds = first.total_seconds;
    result_.length = server_.length_control();
    result_.context_length = server_.context_length(result_.model);
    expected_.model = result_.model;
    expected_.product = server_.info().product;
    expected_.context_length = result_.context_length;
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
    tell("counting tokens", 1, 1);
    return calibration;
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
        run.began = monotonic_seconds();
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
      tell(what, n_rounds, n_rounds);
    });
  }

  void add(Row row) {
    mark(row, expected_);
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
  const bool is_local_ = is_local(server_.address());
};

}  // namespace

void measure(Server& server, const Plan& plan, const Observer& observer, ModelResult& result) {
  Protocol(server, plan, observer, result).run();
}

}  // namespace pleiad::server_bench
