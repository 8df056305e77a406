// What each turn of a conversation costs before its reply begins: how much of the prompt is
// evaluated, and the time to the first token.
//
//     turns_benchmark MODEL chat|agent [TURNS [REPLY_TOKENS [ISA [THREADS]]]]
//
// chat: messages of 30 tokens, replies of REPLY_TOKENS. agent: 2,000 tokens of instructions and
// tools, then tasks of four calls, each a thought and a call (of REPLY_TOKENS together) and a
// result of 300 tokens, and an answer; the thoughts of a task are dropped where the next one
// begins, as the model's template does. Tokens are drawn by the model or, what users and tools say,
// at random, so that a model of random weights serves as well as any: text is not what is measured.

#include <fmt/format.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "base/clock.h"
#include "base/error.h"
#include "engine/engine.h"

namespace pleiad {
namespace {

constexpr std::size_t kMessage = 30;
constexpr std::size_t kInstructions = 2000;
constexpr std::size_t kToolResult = 300;
constexpr int kCallsOfTask = 4;
constexpr std::size_t kTurnBorder = 5;  // tokens of a template between two turns

using Tokens = std::vector<text::TokenId>;

class TurnSink final : public TokenSink {
 public:
  bool token(const sampling::SampledToken& token) override {
    if (reply_.empty()) first_token_ = monotonic_seconds();
    reply_.push_back(token.token);
    return true;
  }
  void finished(const EngineResult& result) override { end(result.stats, {}); }
  void failed(const EngineFailure& failure) override { end({}, failure.message); }

  /// Waits for the reply's end.
  const Tokens& reply() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_; });
    if (!problem_.empty()) throw Error("{}", problem_);
    return reply_;
  }
  double first_token() const { return first_token_; }
  const GenerationStats& stats() const { return stats_; }

 private:
  void end(const GenerationStats& stats, const std::string& problem) {
    const std::lock_guard guard(mutex_);
    stats_ = stats;
    problem_ = problem;
    ended_ = true;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::string problem_;
  Tokens reply_;
  double first_token_ = 0;
  GenerationStats stats_;
};

class Conversation {
 public:
  Conversation(Engine& engine, std::int64_t vocab_size) : engine_(engine), vocab_(vocab_size) {}

  void add(const Tokens& tokens) { text_.insert(text_.end(), tokens.begin(), tokens.end()); }
  void add_random(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      text_.push_back(static_cast<text::TokenId>(1000 + random_() % (vocab_ / 2)));
    }
  }
  std::size_t size() const { return text_.size(); }
  Tokens text_from(std::size_t n) const {
    return {text_.begin() + static_cast<std::ptrdiff_t>(n), text_.end()};
  }
  void drop_from(std::size_t n) { text_.resize(n); }

  /// Asks, tells what it cost, and gives the reply, which is not part of the text yet.
  Tokens ask(const std::string& what, std::int64_t n_reply) {
    EngineRequest request;
    request.prompt = text_;
    request.generation.max_tokens = n_reply;
    request.generation.sampling.seed = ++seed_;
    request.generation.stop_tokens = sampling::StopTokens(Tokens{});
    const auto sink = std::make_shared<TurnSink>();
    const double begun = monotonic_seconds();
    engine_.submit(std::move(request), sink);
    Tokens reply = sink->reply();
    const GenerationStats& stats = sink->stats();
    fmt::print("{:<10} {:>8} {:>8} {:>10} {:>8.2f} s {:>8.1f} tok/s\n", what, stats.prompt_tokens,
               stats.cached_tokens, stats.evaluated_tokens(), sink->first_token() - begun,
               static_cast<double>(stats.generated_tokens) / stats.generation_seconds);
    std::fflush(stdout);
    evaluated_ += stats.evaluated_tokens();
    seconds_ += sink->first_token() - begun;
    return reply;
  }

  void tell_sums() const {
    fmt::print("{:<10} {:>8} {:>8} {:>10} {:>8.2f} s\n", "all", "", "", evaluated_, seconds_);
  }

 private:
  Engine& engine_;
  std::int64_t vocab_;
  Tokens text_;
  std::mt19937 random_{1};
  std::uint64_t seed_ = 0;
  std::int64_t evaluated_ = 0;
  double seconds_ = 0;
};

void play_chat(Conversation& chat, int n_turns, std::int64_t n_reply) {
  for (int turn = 1; turn <= n_turns; ++turn) {
    chat.add_random(kMessage);
    const Tokens reply = chat.ask(fmt::format("turn {}", turn), n_reply);
    chat.add(reply);
    chat.add_random(kTurnBorder);
  }
}

void play_agent(Conversation& agent, int n_turns, std::int64_t n_reply) {
  agent.add_random(kInstructions);
  for (int turn = 0; turn < n_turns;) {
    agent.add_random(kMessage);
    const std::size_t task = agent.size();
    Tokens without_thoughts;
    for (int call = 0; call < kCallsOfTask && turn < n_turns; ++call) {
      const Tokens reply = agent.ask(fmt::format("call {}", ++turn), n_reply);
      const std::size_t before = agent.size();
      agent.add(reply);
      agent.add_random(kTurnBorder + kToolResult);
      // What stays of it later: the call, which is the second half, and the result.
      const Tokens shown = agent.text_from(before + reply.size() / 2);
      without_thoughts.insert(without_thoughts.end(), shown.begin(), shown.end());
    }
    if (turn >= n_turns) break;
    const Tokens answer = agent.ask(fmt::format("answer {}", ++turn), n_reply);
    agent.drop_from(task);
    agent.add(without_thoughts);
    agent.add(answer);
    agent.add_random(kTurnBorder);
  }
}

int run(const std::string& path, const std::string& what, int n_turns, std::int64_t n_reply,
        const std::string& isa, int n_threads) {
  LoadOptions load;
  load.max_logit_rows = 1;
  cpu::CpuBackend backend({.isa = isa, .n_threads = n_threads, .max_rows = load.max_rows});
  LoadedModel model(path, backend, load);
  EngineOptions options;
  options.max_running = 1;
  options.context_length = 32'768;
  options.kv_bytes = std::uint64_t{2} << 30;
  Engine engine(model, options);
  fmt::print("{}, {} turns, replies of {} tokens\n", backend.description(), n_turns, n_reply);
  fmt::print("{:<10} {:>8} {:>8} {:>10} {:>10} {:>14}\n", "", "prompt", "cached", "evaluated",
             "first token", "generation");
  Conversation conversation(engine, model.model().info().vocab_size);
  what == "chat" ? play_chat(conversation, n_turns, n_reply)
                 : play_agent(conversation, n_turns, n_reply);
  conversation.tell_sums();
  return 0;
}

}  // namespace
}  // namespace pleiad

int main(int argc, char** argv) {
  const auto argument = [&](int index, int otherwise) {
    return argc > index ? std::atoi(argv[index]) : otherwise;
  };
  const std::string what = argc > 2 ? argv[2] : "";
  if (what != "chat" && what != "agent") {
    fmt::print(stderr,
               "usage: turns_benchmark MODEL chat|agent [TURNS [REPLY_TOKENS [ISA [THREADS]]]]\n");
    return 2;
  }
  try {
    return pleiad::run(argv[1], what, argument(3, 20), argument(4, what == "chat" ? 100 : 60),
                       argc > 5 ? argv[5] : "", argument(6, 0));
  } catch (const std::exception& error) {
    fmt::print(stderr, "turns_benchmark: {}\n", error.what());
    return 1;
  }
}
