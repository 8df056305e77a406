// What running answers wait for while pictures arrive, by processor time: other programs on the
// machine are not in it, as they are in what tools/load/picture_stall.py measures of a server.
//
//     picture_stall_benchmark MODEL [SOFT_TOKENS [STREAMS [THREADS [PICTURES]]]]
//
// SOFT_TOKENS: 70, 280 (as it is) or 1120. The time is that of the engine's thread, so that it is
// exact with one thread, as it is.

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "base/error.h"
#include "engine/engine.h"
#include "engine/media/prompt_towers.h"

namespace pleiad {
namespace {

constexpr int kMaxRows = 512;
constexpr std::size_t kUsualGaps = 40;  // that are looked at before each picture
constexpr std::size_t kWarmUp = 20;

double thread_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// What lies between two tokens of the running answers.
struct Gap {
  double seconds = 0;
  bool has_prompt = false;  // rows of a prompt are computed in it
};

/// The engine's steps, as its thread tells them.
class Steps {
 public:
  void add(const StepRecord& step) {
    const double now = thread_seconds();
    const std::lock_guard guard(mutex_);
    if (step.generated_rows > 0 && last_ > 0) gaps_.push_back({now - last_, step.prompt_rows > 0});
    last_ = now;
    changed_.notify_all();
  }
  std::size_t count() {
    const std::lock_guard guard(mutex_);
    return gaps_.size();
  }
  std::vector<Gap> from(std::size_t first) {
    const std::lock_guard guard(mutex_);
    return {gaps_.begin() + static_cast<std::ptrdiff_t>(first), gaps_.end()};
  }
  void wait_for(std::size_t n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return gaps_.size() >= n; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  double last_ = 0;
  std::vector<Gap> gaps_;
};

class Sink final : public TokenSink {
 public:
  bool token(const sampling::SampledToken& /*token*/) override { return true; }
  void finished(const EngineResult& /*result*/) override { end({}); }
  void failed(const EngineFailure& failure) override { end(failure.message); }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_; });
    if (!problem_.empty()) throw Error("{}", problem_);
  }

 private:
  void end(const std::string& problem) {
    const std::lock_guard guard(mutex_);
    problem_ = problem;
    ended_ = true;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::string problem_;
};

std::shared_ptr<const PictureInput> random_picture(int n_soft_tokens, std::uint32_t seed) {
  const int half = n_soft_tokens == 70 ? 1 : n_soft_tokens == 280 ? 2 : 4;
  const int width = half * 480;
  const int height = half * 336;
  std::mt19937 random(seed);
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                                3);
  for (std::uint8_t& value : rgb) value = static_cast<std::uint8_t>(random());
  return std::make_shared<const PictureInput>(make_picture_input(width, height, std::move(rgb)));
}

EngineRequest stream(std::uint32_t seed, std::int64_t vocab_size) {
  EngineRequest request;
  std::mt19937 random(seed);
  for (int i = 0; i < 16; ++i) {
    request.prompt.push_back(static_cast<text::TokenId>(1000 + random() % (vocab_size / 2)));
  }
  request.generation.max_tokens = 100'000;
  request.generation.sampling.seed = seed;
  return request;
}

EngineRequest question(const VisionPrompt& vision, std::shared_ptr<const PictureInput> picture,
                       int n_soft_tokens) {
  EngineRequest request;
  request.prompt = {2, 1001, 1002, 1003, vision.tokens.begin};
  PromptMedia shown;
  shown.first = std::ssize(request.prompt);
  shown.n = n_soft_tokens;
  shown.picture = std::move(picture);
  request.prompt.insert(request.prompt.end(), static_cast<std::size_t>(n_soft_tokens),
                        vision.tokens.soft);
  request.prompt.insert(request.prompt.end(), {vision.tokens.end, 1004, 1005, 1006});
  request.media = {std::move(shown)};
  request.generation.max_tokens = 1;
  return request;
}

double share_of(std::vector<Gap>& gaps, double share) {
  std::sort(gaps.begin(), gaps.end(),
            [](const Gap& a, const Gap& b) { return a.seconds < b.seconds; });
  return gaps[static_cast<std::size_t>(share * static_cast<double>(gaps.size() - 1))].seconds;
}

void report(int number, std::vector<Gap> before, const std::vector<Gap>& during) {
  const double usual = share_of(before, 0.5);
  fmt::print("picture {}: usual gap {:.1f} ms, longest {:.1f}\n", number, usual * 1e3,
             before.back().seconds * 1e3);
  for (const bool has_prompt : {false, true}) {
    std::vector<Gap> gaps;
    std::copy_if(during.begin(), during.end(), std::back_inserter(gaps),
                 [&](const Gap& gap) { return gap.has_prompt == has_prompt; });
    if (gaps.empty()) continue;
    const double median = share_of(gaps, 0.5);
    fmt::print("  {:<12} {:>4} gaps: median {:.2f}, 90% {:.2f}, 99% {:.2f}, longest {:.2f} times\n",
               has_prompt ? "its prompt" : "encoding", gaps.size(), median / usual,
               share_of(gaps, 0.9) / usual, share_of(gaps, 0.99) / usual,
               gaps.back().seconds / usual);
  }
  std::fflush(stdout);
}

int run(const std::string& path, int n_soft_tokens, int n_streams, int n_threads, int n_pictures) {
  Checkpoint checkpoint = Checkpoint::open(path);
  LoadOptions load;
  load.max_rows = step_rows(checkpoint, kMaxRows, n_streams + 1);
  load.max_logit_rows = n_streams + 1;
  cpu::CpuBackend backend({.isa = "", .n_threads = n_threads, .max_rows = load.max_rows});
  LoadedModel model(std::move(checkpoint), backend, load);
  const PromptTowers towers = prompt_towers(model.checkpoint());
  if (!towers.vision.sees()) throw Error("{}: {}", path, towers.vision.problem);
  Steps steps;
  EngineOptions options;
  options.max_running = n_streams + 1;
  options.context_length = 16'384;
  options.kv_bytes = std::uint64_t{4} << 30;
  options.on_step = [&](const StepRecord& step) { steps.add(step); };
  Engine engine(model, options);
  fmt::print("{}, {} streams, pictures of {} tokens\n", backend.description(), n_streams,
             n_soft_tokens);
  for (int i = 0; i < n_streams; ++i) {
    engine.submit(stream(static_cast<std::uint32_t>(i + 1), model.model().info().vocab_size),
                  std::make_shared<Sink>());
  }
  steps.wait_for(kWarmUp);
  for (int i = 0; i < n_pictures; ++i) {
    auto picture = random_picture(n_soft_tokens, static_cast<std::uint32_t>(i + 1));
    const std::size_t first = steps.count();
    steps.wait_for(first + kUsualGaps);
    const std::size_t sent = steps.count();
    const auto answer = std::make_shared<Sink>();
    engine.submit(question(towers.vision, std::move(picture), n_soft_tokens), answer);
    answer->wait();
    std::vector<Gap> during = steps.from(sent + 1);
    std::vector<Gap> before = steps.from(first);
    before.resize(sent - first);
    report(i + 1, std::move(before), during);
  }
  return 0;
}

}  // namespace
}  // namespace pleiad

int main(int argc, char** argv) {
  const auto number = [&](int place, int usual) {
    return place < argc ? std::atoi(argv[place]) : usual;
  };
  if (argc < 2) {
    std::fputs("which model?\n", stderr);
    return 2;
  }
  try {
    return pleiad::run(argv[1], number(2, 280), number(3, 8), number(4, 1), number(5, 3));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
