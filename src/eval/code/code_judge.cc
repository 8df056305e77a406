#include "eval/code/code_judge.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/text_format.h"
#include "eval/code/runner.h"

namespace pleiad::eval {
namespace {

/// As Python's == has it, but that true and false are no numbers.
bool same_result(const Json& a, const Json& b) {
  if (a.is_array() && b.is_array()) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_result);
  }
  if (a.is_object() && b.is_object()) {
    for (const auto& item : a.items()) {
      const Json* other = find_member(b, item.key());
      if (other == nullptr || !same_result(item.value(), *other)) return false;
    }
    return a.size() == b.size();
  }
  return a == b;
}

/// Python's idea of truth.
bool is_truthy(const Json& value) {
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  if (value.is_number()) return value.get<double>() != 0;
  if (value.is_boolean()) return value.get<bool>();
  return !value.empty();  // nor is null
}

bool is_expected(const Json& value, const Json& expected) {
  return expected.is_boolean() ? is_truthy(value) == expected.get<bool>()
                               : same_result(value, expected);
}

/// "gcd(12, 18)"
std::string written(const CodeTask& task, const CodeCall& call) {
  std::string arguments;
  for (const Json& argument : call.arguments) {
    arguments += (arguments.empty() ? "" : ", ") + to_text(argument);
  }
  return fmt::format("{}({})", task.function, printable(arguments, 40));
}

Verdict judge_answer(const CodeTask& task, const CodeCall& call, const Json& answer) {
  const Json* value = answer.is_object() ? find_member(answer, "value") : nullptr;
  if (value == nullptr) return Verdict::bad("its results have another form than ours");
  if (!is_expected(*value, call.expected)) {
    return Verdict::bad(fmt::format("{} is {}, not {}", written(task, call),
                                    printable(to_text(*value), 60),
                                    printable(to_text(call.expected), 60)));
  }
  if (task.keeps_arguments) {
    const Json* after = find_member(answer, "arguments");
    if (after == nullptr || !same_result(*after, call.arguments)) {
      return Verdict::bad(fmt::format("{} changes its arguments", written(task, call)));
    }
  }
  return Verdict::good();
}

/// Python's last line says what it was.
std::string last_line(std::string_view errors) {
  while (errors.ends_with('\n')) errors.remove_suffix(1);
  const std::size_t line = errors.rfind('\n');
  if (line != std::string_view::npos) errors.remove_prefix(line + 1);
  return printable(errors);
}

/// Why a program has no results; nothing where it may have some.
std::optional<Verdict> failed(const SandboxResult& result) {
  if (result.timed_out) return Verdict::bad("does not come to an end");
  if (result.status == 0) return std::nullopt;
  const std::string why = last_line(result.errors);
  return Verdict::bad(why.empty() ? fmt::format("ends with status {}", result.status) : why);
}

/// The first forbidden name that the program uses; empty without one.
std::optional<Verdict> judge_names(const Sandbox& sandbox, const CodeTask& task,
                                   std::string_view program) {
  const SandboxResult result = sandbox.run_python(kNamesReader, program);
  if (const auto failure = failed(result)) return failure;
  const Json names = json_or_discarded(result.output);  // incomplete where there are too many
  if (!names.is_array()) return Verdict::bad("has more names than are read");
  for (const std::string& name : task.without) {
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      return Verdict::bad(fmt::format("uses {}", name));
    }
  }
  return std::nullopt;
}

}  // namespace

Verdict judge_results(const CodeTask& task, std::string_view results) {
  if (results.empty()) return Verdict::bad("ends before there are results");
  Json answers;
  try {
    answers = parse_json(results, "its results");
  } catch (const Error& error) {
    return Verdict::bad(error.what());
  }
  if (!answers.is_array() || answers.size() != task.calls.size()) {
    return Verdict::bad("its results have another form than ours");
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Verdict verdict = judge_answer(task, task.calls[i], answers[i]);
    if (!verdict.right) return verdict;
  }
  return Verdict::good();
}

Verdict judge_code(const Sandbox& sandbox, const CodeTask& task, std::string_view program) {
  if (!task.without.empty()) {
    if (auto wrong = judge_names(sandbox, task, program)) return *wrong;
  }
  Json input = {{"program", program},
                {"function", task.function},
                {"keeps_arguments", task.keeps_arguments},
                {"calls", Json::array()}};
  for (const CodeCall& call : task.calls) input["calls"].push_back(call.arguments);
  const SandboxResult result = sandbox.run_python(kCodeRunner, to_text(input));
  if (const auto failure = failed(result)) return *failure;
  return judge_results(task, result.output);
}

}  // namespace pleiad::eval
