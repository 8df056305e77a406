#include "bench/plan.h"

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::bench {
namespace {

std::string count(std::int64_t n) { return format_count(static_cast<std::uint64_t>(n)); }

void check_fits(const Case& test, std::int64_t context_length) {
  const std::int64_t needed = test.depth + test.n_tokens;
  if (needed <= context_length) return;
  throw Error("{}: {} tokens at depth {} need a context of {}, and the model's holds {}",
              test.kind == TestKind::prompt ? "--prompt" : "--generate", count(test.n_tokens),
              count(test.depth), count(needed), count(context_length));
}

}  // namespace

std::string Case::name() const {
  std::string text = fmt::format("{}{}", kind == TestKind::prompt ? "pp" : "tg", n_tokens);
  if (depth > 0) text += fmt::format("@d{}", depth);
  if (n_sequences > 1) text += fmt::format(" x{}", n_sequences);
  return text;
}

std::vector<Case> make_plan(const PlanOptions& options, std::int64_t context_length) {
  std::vector<Case> plan;
  const auto add = [&](const Case& test) {
    if (test.n_tokens == 0) return;
    check_fits(test, context_length);
    plan.push_back(test);
  };
  for (const KvType type : options.kv_types) {
    for (const std::int64_t depth : options.depths) {
      for (const std::int64_t n : options.prompts) add({TestKind::prompt, n, depth, 1, type});
      for (const std::int64_t batch : options.batches) {
        for (const std::int64_t n : options.generations) {
          add({TestKind::generation, n, depth, batch, type});
        }
      }
    }
  }
  if (plan.empty()) throw Error("nothing to measure: --prompt and --generate are both 0");
  return plan;
}

}  // namespace pleiad::bench
