#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eval/sandbox/sandbox.h"
#include "eval/verdict.h"

// Functions that a model wrote, judged from outside of the sandbox: arguments go in, results come
// out as JSON, and what they should be never enters. A program there may do with its interpreter
// whatever it likes; to be right it has to come to the right results.
namespace pleiad::eval {

struct CodeCall {
  Json arguments;  // an array
  Json expected;   // where true or false, the result counts as Python's if takes it
};

/// A Python function that is asked for.
struct CodeTask {
  std::string what;      // "`name(...)` that ..."
  std::string function;  // its name
  std::vector<CodeCall> calls;
  bool keeps_arguments = false;           // they have to stay as they were
  std::vector<std::string> without = {};  // names that the program must not use
};

/// Runs the program once, calls its function, and once more reads its names where some are
/// forbidden. Throws Error where the sandbox cannot be started.
Verdict judge_code(const Sandbox& sandbox, const CodeTask& task, std::string_view program);

/// What came out of the sandbox, which can be anything.
Verdict judge_results(const CodeTask& task, std::string_view results);

}  // namespace pleiad::eval
