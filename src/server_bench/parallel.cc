#include "server_bench/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/check.h"

namespace pleiad::server_bench {

Company::Company(const Server& server, int n) {
  for (int i = 0; i < n; ++i) servers_.push_back(server.another());
}

Round Company::ask(const std::string& model, const std::vector<std::string>& questions,
                   std::int64_t n_tokens, const AskOptions& options) {
  CHECK(questions.size() == servers_.size());
  Round round;
  round.runs.resize(questions.size());
  std::atomic<bool> stopped = false;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      threads.emplace_back([&, i] {
        Run& run = round.runs[i];
        run.began = servers_[i].now();
        try {
          run.answer = servers_[i].ask(model, questions[i], n_tokens, options);
        } catch (const Stopped&) {
          stopped = true;
        } catch (const std::exception& error) {
          run.failure = error.what();
        }
      });
    }
  }
  if (stopped) throw Stopped{};
  double began = round.runs[0].began;
  double ended = began;
  for (const Run& run : round.runs) {
    began = std::min(began, run.began);
    if (!run.failure.empty()) continue;
    ended = std::max(ended, run.began + run.answer.last_token_seconds);
    round.n_tokens += run.answer.generated_tokens.value_or(run.answer.n_pieces);
  }
  round.seconds = ended - began;
  return round;
}

}  // namespace pleiad::server_bench
