// Long answers that do not run in circles.

#include "eval/battery.h"
#include "eval/graders/graders.h"

namespace pleiad::eval {

Check long_answer_check() {
  struct Task {
    std::string_view question;
    std::vector<std::string> stems;  // of words that an answer cannot do without
  };
  const Task tasks[] = {
      {"Write an essay of about 900 words on how the printing press changed Europe.",
       {"print", "press", "book"}},
      {"Tell a story of about 900 words about a lighthouse keeper who finds a message in a bottle.",
       {"lighthouse", "keeper", "bottle", "message"}},
      {"Explain in about 900 words how a refrigerator works, for a curious teenager.",
       {"refriger", "fridge", "cool", "cold"}},
      {"Write a travel report of about 900 words about three days in the mountains.",
       {"mountain", "summit", "peak", "trail", "valley", "hike", "hiking", "path", "ridge"}},
  };
  // The model may end a little early; what counts is that it does not fall into a loop.
  constexpr std::int64_t kMaxTokens = 1000;
  constexpr std::size_t kMinWords = 350;
  Check check = {"long-answer", "writes a thousand tokens without running in circles", {}, {}};
  for (const Task& task : tasks) {
    Case item;
    item.id = fmt::format("{}", check.cases.size() + 1);
    item.max_tokens = kMaxTokens;
    item.turns.push_back(ask(task.question, graders::runs_long(kMinWords, task.stems)));
    check.cases.push_back(std::move(item));
  }
  return check;
}

}  // namespace pleiad::eval
