#include "eval/code/code_judge.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <utility>

#include "base/testing/json.h"
#include "eval/battery.h"
#include "eval/eval_testing.h"
#include "eval/sandbox/sandbox_testing.h"

namespace pleiad::eval {
namespace {

CodeTask task_with(Json arguments, Json expected, bool keeps_arguments = false) {
  CodeTask task;
  task.function = "f";
  task.calls.push_back({std::move(arguments), std::move(expected)});
  task.keeps_arguments = keeps_arguments;
  return task;
}

std::string why_wrong(const CodeTask& task, const std::string& results) {
  const Verdict verdict = judge_results(task, results);
  EXPECT_EQ(verdict.right, verdict.why.empty());
  return verdict.why;
}

TEST(CodeResults, AreComparedAsPythonDoes) {
  const CodeTask six = task_with(Json::array({12, 18}), 6);
  EXPECT_EQ(why_wrong(six, R"([{"value": 6}])"), "");
  EXPECT_EQ(why_wrong(six, R"([{"value": 6.0}])"), "");
  EXPECT_EQ(why_wrong(six, R"([{"value": 5}])"), "f(12, 18) is 5, not 6");
  EXPECT_EQ(why_wrong(six, R"([{"value": "6"}])"), "f(12, 18) is \"6\", not 6");
  EXPECT_EQ(why_wrong(six, R"([{"value": true}])"), "f(12, 18) is true, not 6");
  EXPECT_EQ(why_wrong(task_with(Json::array({1}), 1), R"([{"value": true}])"),
            "f(1) is true, not 1");
  const CodeTask counts = task_with(Json::array({"x"}), json_from(R"({"a": 2, "b": [1]})"));
  EXPECT_EQ(why_wrong(counts, R"([{"value": {"b": [1], "a": 2}}])"), "");
  for (const char* other : {R"([{"value": {"b": [1]}}])", R"([{"value": {"b": [1, 1], "a": 2}}])",
                            R"([{"value": {"b": [1], "a": 2, "c": 1}}])", R"([{"value": []}])"}) {
    EXPECT_NE(why_wrong(counts, other), "") << other;
  }
}

TEST(CodeResults, WhereYesOrNoIsExpectedTruthCounts) {
  for (const char* truth : {"true", "1", "-0.5", "\"x\"", "[0]", "{\"a\": 0}"}) {
    const std::string results = std::string("[{\"value\": ") + truth + "}]";
    EXPECT_EQ(why_wrong(task_with(Json::array({1}), true), results), "") << truth;
    EXPECT_NE(why_wrong(task_with(Json::array({1}), false), results), "") << truth;
  }
  for (const char* falsity : {"false", "0", "0.0", "\"\"", "[]", "{}", "null"}) {
    const std::string results = std::string("[{\"value\": ") + falsity + "}]";
    EXPECT_EQ(why_wrong(task_with(Json::array({1}), false), results), "") << falsity;
    EXPECT_NE(why_wrong(task_with(Json::array({1}), true), results), "") << falsity;
  }
}

TEST(CodeResults, ArgumentsThatShouldStayHaveToBeThere) {
  const CodeTask task = task_with(Json::array({Json::array({1, 2})}), 3, true);
  EXPECT_EQ(why_wrong(task, R"([{"value": 3, "arguments": [[1, 2]]}])"), "");
  EXPECT_EQ(why_wrong(task, R"([{"value": 3, "arguments": [[]]}])"),
            "f([1,2]) changes its arguments");
  EXPECT_EQ(why_wrong(task, R"([{"value": 3}])"), "f([1,2]) changes its arguments");
}

TEST(CodeResults, OtherFormsAreWrong) {
  const CodeTask task = task_with(Json::array({1}), true);
  EXPECT_EQ(why_wrong(task, ""), "ends before there are results");
  for (const char* form : {"[]", "{}", "true", "[true]", "[{}]",
                           R"([{"value": true}, {"value": true}])", R"({"0": {"value": true}})"}) {
    EXPECT_EQ(why_wrong(task, form), "its results have another form than ours") << form;
  }
  for (const std::string& garbage :
       {std::string("[{\"value\": true}"), std::string("[{\"value\": true}] x"),
        std::string("\0\xff", 2), std::string("[{\"value\": 1e999}]"), std::string(1000, '[')}) {
    EXPECT_NE(why_wrong(task, garbage).find("its results"), std::string::npos) << garbage;
  }
}

class CodeJudge : public SandboxTest {
 protected:
  static Verdict judge(const CodeTask& task, const std::string& program) {
    static const Sandbox sandbox;
    return judge_code(sandbox, task, program);
  }
};

TEST_F(CodeJudge, SaysWhatIsWrong) {
  const CodeTask task = task_with(Json::array({2, 3}), 5);
  EXPECT_TRUE(judge(task, "def f(a, b): return a + b").right);
  for (const auto& [program, why] : {
           std::pair{"def f(a, b): return a - b", "f(2, 3) is -1, not 5"},
           std::pair{"def g(a, b): return a + b", "NameError: name 'f' is not defined"},
           std::pair{"def f(a): return a", "takes 1 positional argument but 2 were given"},
           std::pair{"def f(a, b): return a +", "SyntaxError"},
           std::pair{"I cannot.", "SyntaxError"},
           std::pair{"def f(a, b): return (a, b)", "the result is, or has in it, a tuple"},
           std::pair{"def f(a, b): return {a: b}", "a key of the result is of type int"},
           std::pair{"def f(a, b): return float('nan')", "ValueError"},
           std::pair{"def f(a, b):\n x = []\n x.append(x)\n return x", "RecursionError"},
           std::pair{"def f(a, b): return 'x' * 100000", "its results"},
           std::pair{"raise SystemExit(0)", "ends before there are results"},
           std::pair{"raise SystemExit(3)", "ends with status 3"},
       }) {
    const Verdict verdict = judge(task, program);
    EXPECT_FALSE(verdict.right) << program;
    EXPECT_NE(verdict.why.find(why), std::string::npos) << program << ": " << verdict.why;
  }
}

TEST_F(CodeJudge, HonestProgramsMayPrintAndReadAndUseTheirName) {
  const CodeTask task = task_with(Json::array({"b a b"}), json_from(R"({"a": 1, "b": 2})"));
  for (const char* program :
       {"from collections import Counter\ndef f(text): return Counter(text.split())",
        "import sys\nprint('[{\"value\": 0}]')\nprint(sys.stdin.read(), file=sys.stderr)\n"
        "def f(text):\n    print(text)\n    words = text.split()\n"
        "    return {w: words.count(w) for w in words}",
        "from __future__ import annotations\nimport dataclasses\n"
        "@dataclasses.dataclass\nclass Count:\n    n: int = 0\n"
        "def f(text: str) -> dict:\n    found = {}\n    for w in text.split():\n"
        "        found.setdefault(w, Count()).n += 1\n    return {w: c.n for w, c in "
        "found.items()}\n"
        "if __name__ == '__main__': print(f('x'))",
        "import atexit, threading, time\natexit.register(time.sleep, 100)\n"
        "threading.Thread(target=time.sleep, args=(100,)).start()\n"
        "def f(text): return {w: text.split().count(w) for w in set(text.split())}"}) {
    const Verdict verdict = judge(task, program);
    EXPECT_TRUE(verdict.right) << program << ": " << verdict.why;
  }
}

TEST_F(CodeJudge, ForbiddenNamesAreFoundWithoutRunningTheProgram) {
  CodeTask task = task_with(Json::array({Json::array({2, 1})}), Json::array({1, 2}));
  task.without = {"sort", "sorted"};
  EXPECT_TRUE(
      judge(task, "def f(a):\n  \"\"\"Without sorted().\"\"\"\n  return a[::-1]  # sort").right);
  for (const char* program :
       {"def f(a): return sorted(a)", "def f(a):\n  a.sort()\n  return a",
        "by = sorted\ndef f(a): return by(a)", "def f(a): return \xEF\xBD\x93orted(a)",
        "# coding: utf-7\ndef f(a): return sorted(a)  # +AHM-",
        "from builtins import sorted as order\ndef f(a): return order(a)",
        "import ast\nast.walk = lambda *_: []\ndef f(a): return sorted(a)"}) {
    const Verdict verdict = judge(task, program);
    EXPECT_TRUE(verdict.why == "uses sorted" || verdict.why == "uses sort")
        << program << ": " << verdict.why;
  }
}

TEST_F(CodeJudge, ExpectedResultsAreNowhereInTheSandbox) {
  // Everything that can be reached: objects, frames, files, descriptors, the whole memory.
  const std::string program =
      "import ctypes, gc, glob, os, re, sys\n"
      "def f(x):\n"
      "    found = set()\n"
      "    def look(where, text):\n"
      "        if re.search('Jupi' + 'ter-[0-9]', text): found.add(where)\n"
      "        if 'Sat' + 'urn-2' in text: found.add(where + ' argument')\n"
      "    frame = sys._getframe()\n"
      "    while frame:\n"
      "        look('frame', repr(frame.f_locals) + repr(frame.f_globals))\n"
      "        frame = frame.f_back\n"
      "    for thing in gc.get_objects():\n"
      "        try: look('object', repr(thing))\n"
      "        except Exception: pass\n"
      "    look('environment', repr(os.environ) + repr(sys.argv) + repr(sys.orig_argv))\n"
      "    for name in glob.glob('/*') + glob.glob('/tmp/**', recursive=True):\n"
      "        if os.path.isfile(name): look('file', open(name, errors='replace').read())\n"
      "    for fd in range(64):\n"
      "        try: look('descriptor', os.pread(fd, 1 << 20, 0).decode(errors='replace'))\n"
      "        except OSError: pass\n"
      "    return sorted(found)\n";
  const Verdict verdict = judge(task_with(Json::array({"Saturn-2"}), "Jupiter-5"), program);
  EXPECT_FALSE(verdict.right);
  // It does find what it was given.
  EXPECT_EQ(verdict.why.find("f(\"Saturn-2\") is [\"frame argument\""), 0U) << verdict.why;
  EXPECT_EQ(verdict.why.find("\"frame\""), std::string::npos) << verdict.why;
  EXPECT_EQ(verdict.why.find("\"object\""), std::string::npos) << verdict.why;
  EXPECT_EQ(verdict.why.find("\"descriptor\""), std::string::npos) << verdict.why;
  EXPECT_EQ(verdict.why.find("\"file\""), std::string::npos) << verdict.why;
  EXPECT_EQ(verdict.why.find("\"environment\""), std::string::npos) << verdict.why;
}

TEST_F(CodeJudge, EveryTaskOfTheCheckCanBeDone) {
  const Check check = code_check(Sandbox());
  const std::string solutions[] = {
      "def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a",
      "def is_palindrome(text):\n    t = [c.lower() for c in text if c.isalnum()]\n"
      "    return t == t[::-1]",
      "def primes(n): return [p for p in range(2, n) if all(p % d for d in range(2, p))]",
      "def word_counts(text):\n    found = {}\n    for w in text.lower().split():\n"
      "        found[w] = found.get(w, 0) + 1\n    return found",
      "def roman(n):\n    text = ''\n"
      "    for v, s in [(1000, 'M'), (900, 'CM'), (500, 'D'), (400, 'CD'), (100, 'C'), (90, "
      "'XC'),\n"
      "                 (50, 'L'), (40, 'XL'), (10, 'X'), (9, 'IX'), (5, 'V'), (4, 'IV'), (1, "
      "'I')]:\n"
      "        text += s * (n // v)\n        n %= v\n    return text",
      "def merge(a, b):\n  \"\"\"Merges without sorted() or .sort().\"\"\"\n  c = []\n"
      "  while a and b: c.append((a if a[0] <= b[0] else b).pop(0))\n  return c + a + b",
      "def balanced(text):\n    open = []\n    for c in text:\n        if c in '([{': "
      "open.append(c)\n"
      "        elif c in ')]}' and (not open or '([{'.index(open.pop()) != ')]}'.index(c)): return "
      "False\n"
      "    return not open",
      "def flatten(value):\n    return [x for v in value for x in (flatten(v) if isinstance(v, "
      "list) else [v])]",
      "def edit_distance(a, b):\n    row = list(range(len(b) + 1))\n    for i, x in enumerate(a):\n"
      "        next = [i + 1]\n        for j, y in enumerate(b):\n"
      "            next.append(min(row[j] + (x != y), row[j + 1] + 1, next[j] + 1))\n        row = "
      "next\n"
      "    return row[-1]",
      "def rotate(matrix): return [list(row) for row in zip(*matrix[::-1])]",
  };
  ASSERT_EQ(check.cases.size(), std::size(solutions));
  for (std::size_t i = 0; i < check.cases.size(); ++i) {
    const Grader& grade = check.cases[i].turns[0].grade;
    const Verdict right = grade(saying("Like this:\n```python\n" + solutions[i] + "\n```\nThere."));
    EXPECT_TRUE(right.right) << solutions[i] << ": " << right.why;
    const std::string name = solutions[i].substr(4, solutions[i].find('(') - 4);
    for (const char* constant : {"True", "False", "[]", "''", "1"}) {
      EXPECT_FALSE(grade(saying("def " + name + "(*_): return " + constant)).right) << name;
    }
  }
  const Grader& rotate = check.cases[9].turns[0].grade;
  EXPECT_EQ(
      rotate(saying("def rotate(m):\n    r = [list(x) for x in zip(*m[::-1])]\n    m.clear()\n"
                    "    return r"))
          .why,
      "rotate([[1,2,3],[4,5,6]]) changes its arguments");
}

}  // namespace
}  // namespace pleiad::eval
