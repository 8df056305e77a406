// Python functions that run against their tests, in a sandbox.

#include "base/text_format.h"
#include "eval/battery.h"
#include "eval/reply_text.h"

namespace pleiad::eval {
namespace {

// What the tests print when they are through: a program that ends early does not.
constexpr std::string_view kPassed = "all tests have passed";

struct CodeTask {
  std::string_view what;
  std::string_view tests;
};

// For tests: what the program names, wherever it does.
constexpr std::string_view kNames =
    "import ast\n"
    "tree = ast.walk(ast.parse(open('/program.py').read()))\n"
    "names = {getattr(node, 'id', getattr(node, 'attr', '')) for node in tree}\n";

Grader passes(const Sandbox& sandbox, const CodeTask& task) {
  return [sandbox, tests = std::string(task.tests)](const ChatReply& reply) {
    const std::string program =
        fmt::format("{}\n\n{}{}\nprint(\"{}\")\n", fenced_or_whole(reply.reply.content), kNames,
                    tests, kPassed);
    const SandboxResult result = sandbox.run_python(program);
    if (result.timed_out) return Verdict::bad("does not come to an end");
    if (result.status == 0 && result.output.find(kPassed) != std::string::npos) {
      return Verdict::good();
    }
    // Python's last line says what it was.
    std::string_view output = result.errors;
    while (output.ends_with('\n')) output.remove_suffix(1);
    const std::size_t line = output.rfind('\n');
    if (line != std::string_view::npos) output.remove_prefix(line + 1);
    return Verdict::bad(output.empty() ? fmt::format("ends with status {}", result.status)
                                       : printable(output));
  };
}

}  // namespace

Check code_check(const std::optional<Sandbox>& sandbox) {
  const CodeTask tasks[] = {
      {"`gcd(a, b)` that returns the greatest common divisor of two positive whole numbers.",
       "assert gcd(12, 18) == 6\nassert gcd(17, 5) == 1\nassert gcd(100, 100) == 100\n"
       "assert gcd(7, 49) == 7"},
      {"`is_palindrome(text)` that says whether a text reads the same backwards, without regard "
       "to case, spaces and punctuation.",
       "assert is_palindrome('A man, a plan, a canal: Panama')\nassert is_palindrome('')\n"
       "assert not is_palindrome('palindrome')\nassert is_palindrome('No lemon, no melon')"},
      {"`primes(n)` that returns the list of all primes below n in ascending order.",
       "assert primes(2) == []\nassert primes(20) == [2, 3, 5, 7, 11, 13, 17, 19]\n"
       "assert len(primes(1000)) == 168"},
      {"`word_counts(text)` that returns a dictionary from each word, in lower case, to how often "
       "it occurs; words are separated by white space.",
       "assert word_counts('a b A') == {'a': 2, 'b': 1}\nassert word_counts('') == {}\n"
       "assert word_counts('x\\ty\\n x') == {'x': 2, 'y': 1}"},
      {"`roman(n)` that returns the Roman numeral of a whole number from 1 to 3999.",
       "assert roman(1) == 'I'\nassert roman(4) == 'IV'\nassert roman(1994) == 'MCMXCIV'\n"
       "assert roman(3999) == 'MMMCMXCIX'"},
      {"`merge(a, b)` that merges two ascending lists of numbers into one ascending list without "
       "calling sort or sorted.",
       "assert merge([1, 3, 5], [2, 4]) == [1, 2, 3, 4, 5]\nassert merge([], [1]) == [1]\n"
       "assert merge([1, 1], [1]) == [1, 1, 1]\nassert merge([], []) == []\n"
       "assert not names & {'sort', 'sorted'}, 'sorts by a call'"},
      {"`balanced(text)` that says whether the brackets (), [] and {} in a text are balanced and "
       "well nested; other characters do not matter.",
       "assert balanced('a(b[c]{d})')\nassert not balanced('(]')\nassert not balanced('((')\n"
       "assert balanced('')\nassert not balanced(')(')"},
      {"`flatten(value)` that takes a list which may hold lists within lists, and returns one "
       "flat list of all that is no list, in order.",
       "assert flatten([1, [2, [3, []], 4]]) == [1, 2, 3, 4]\nassert flatten([]) == []\n"
       "assert flatten(['ab', ['c']]) == ['ab', 'c']"},
      {"`edit_distance(a, b)` that returns the least number of insertions, deletions and "
       "replacements of single characters that turn text a into text b.",
       "assert edit_distance('kitten', 'sitting') == 3\nassert edit_distance('', 'abc') == 3\n"
       "assert edit_distance('same', 'same') == 0\nassert edit_distance('flaw', 'lawn') == 2"},
      {"`rotate(matrix)` that returns a matrix, given as a list of rows, turned clockwise by a "
       "quarter; the argument stays as it was.",
       "m = [[1, 2, 3], [4, 5, 6]]\nassert rotate(m) == [[4, 1], [5, 2], [6, 3]]\n"
       "assert m == [[1, 2, 3], [4, 5, 6]]\nassert rotate([[1]]) == [[1]]"},
  };
  Check check = {"code", "writes Python functions that pass their tests", {}, {}};
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
