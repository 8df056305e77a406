// Any bytes at all, as if they had come out of the sandbox in which a model's program ran. Only
// those that have the expected result in them may be called right.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "eval/code/code_judge.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

pleiad::eval::CodeTask task() {
  pleiad::eval::CodeTask task;
  task.function = "f";
  task.keeps_arguments = true;
  task.calls.push_back({pleiad::Json::array({1, "x"}), "expected-7"});
  task.calls.push_back({pleiad::Json::array({pleiad::Json::array()}), true});
  return task;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const pleiad::eval::CodeTask kTask = task();
  const std::string_view results(reinterpret_cast<const char*>(data), size);
  const pleiad::eval::Verdict verdict = pleiad::eval::judge_results(kTask, results);
  require(verdict.right == verdict.why.empty());
  if (verdict.right) {
    const pleiad::Json read = pleiad::parse_json(results, "fuzz");
    require(pleiad::to_text(read).find("expected-7") != std::string::npos);
  }
  return 0;
}
