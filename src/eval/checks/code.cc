// Python functions that are called with arguments whose results are known, in a sandbox.

#include "base/json.h"
#include "eval/battery.h"
#include "eval/code/code_judge.h"
#include "eval/graders/reply_text.h"

namespace pleiad::eval {
namespace {

/// Calls as they are written below: [[arguments, expected], ...].
std::vector<CodeCall> calls_of(std::string_view text) {
  std::vector<CodeCall> calls;
  for (const Json& call : parse_json(text, "a task of the battery")) {
    calls.push_back({call.at(0), call.at(1)});
  }
  return calls;
}

Json primes_below(int n) {
  Json primes = Json::array();
  for (int candidate = 2; candidate < n; ++candidate) {
    bool is_prime = true;
    for (int d = 2; d * d <= candidate; ++d) is_prime = is_prime && candidate % d != 0;
    if (is_prime) primes.push_back(candidate);
  }
  return primes;
}

std::vector<CodeTask> tasks_on_numbers_and_texts() {
  std::vector<CodeCall> primes = calls_of("[[[2], []], [[20], [2, 3, 5, 7, 11, 13, 17, 19]]]");
  primes.push_back({Json::array({1000}), primes_below(1000)});
  return {
      {"`gcd(a, b)` that returns the greatest common divisor of two positive whole numbers.", "gcd",
       calls_of("[[[12, 18], 6], [[17, 5], 1], [[100, 100], 100], [[7, 49], 7]]")},
      {"`is_palindrome(text)` that says whether a text reads the same backwards, without regard "
       "to case, spaces and punctuation.",
       "is_palindrome", calls_of(R"([[["A man, a plan, a canal: Panama"], true], [[""], true],
                    [["palindrome"], false], [["No lemon, no melon"], true]])")},
      {"`primes(n)` that returns the list of all primes below n in ascending order.", "primes",
       std::move(primes)},
      {"`word_counts(text)` that returns a dictionary from each word, in lower case, to how often "
       "it occurs; words are separated by white space.",
       "word_counts", calls_of(R"([[["a b A"], {"a": 2, "b": 1}], [[""], {}],
                    [["x\ty\n x"], {"x": 2, "y": 1}]])")},
      {"`roman(n)` that returns the Roman numeral of a whole number from 1 to 3999.", "roman",
       calls_of(R"([[[1], "I"], [[4], "IV"], [[1994], "MCMXCIV"], [[3999], "MMMCMXCIX"]])")},
  };
}

std::vector<CodeTask> tasks_on_lists() {
  CodeTask merge = {
      "`merge(a, b)` that merges two ascending lists of numbers into one ascending list without "
      "calling sort or sorted.",
      "merge",
      calls_of("[[[[1, 3, 5], [2, 4]], [1, 2, 3, 4, 5]], [[[], [1]], [1]],"
               " [[[1, 1], [1]], [1, 1, 1]], [[[], []], []]]")};
  merge.without = {"sort", "sorted"};
  CodeTask rotate = {
      "`rotate(matrix)` that returns a matrix, given as a list of rows, turned clockwise by a "
      "quarter; the argument stays as it was.",
      "rotate",
      calls_of("[[[[[1, 2, 3], [4, 5, 6]]], [[4, 1], [5, 2], [6, 3]]], [[[[1]]], [[1]]]]")};
  rotate.keeps_arguments = true;
  return {
      std::move(merge),
      {"`balanced(text)` that says whether the brackets (), [] and {} in a text are balanced and "
       "well nested; other characters do not matter.",
       "balanced",
       calls_of(R"json([[["a(b[c]{d})"], true], [["(]"], false], [["(("], false], [[""], true],
                        [[")("], false]])json")},
      {"`flatten(value)` that takes a list which may hold lists within lists, and returns one "
       "flat list of all that is no list, in order.",
       "flatten", calls_of(R"([[[[1, [2, [3, []], 4]]], [1, 2, 3, 4]], [[[]], []],
                    [[["ab", ["c"]]], ["ab", "c"]]])")},
      {"`edit_distance(a, b)` that returns the least number of insertions, deletions and "
       "replacements of single characters that turn text a into text b.",
       "edit_distance",
       calls_of(R"([[["kitten", "sitting"], 3], [["", "abc"], 3], [["same", "same"], 0],
                    [["flaw", "lawn"], 2]])")},
      std::move(rotate),
  };
}

Grader passes(const Sandbox& sandbox, const CodeTask& task) {
  return [sandbox, task](const ChatReply& reply) {
    return judge_code(sandbox, task, fenced_or_whole(reply.reply.content));
  };
}

}  // namespace

Check code_check(const std::optional<Sandbox>& sandbox) {
  std::vector<CodeTask> tasks = tasks_on_numbers_and_texts();
  for (CodeTask& task : tasks_on_lists()) tasks.push_back(std::move(task));
  Check check = {"code", "writes Python functions that return what they should", {}, {}};
  if (!sandbox) check.skipped = "runs what the model writes: asked for with --run-code only";
  for (const CodeTask& task : tasks) {
    Case item;
    item.id = fmt::format("{}", check.cases.size() + 1);
    item.max_tokens = 600;
    const std::string question = fmt::format(
        "Write a Python function {} Answer with the code alone, in one block.", task.what);
    item.turns.push_back(ask(question, sandbox ? passes(*sandbox, task) : Grader()));
    check.cases.push_back(std::move(item));
  }
  return check;
}

}  // namespace pleiad::eval
