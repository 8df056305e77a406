// Programs that want to be called right without being it. All of them answer the first question of
// the check, a function gcd(a, b).

#include <gtest/gtest.h>

#include <string>

#include "eval/battery.h"
#include "eval/eval_testing.h"
#include "eval/sandbox/sandbox_testing.h"

namespace pleiad::eval {
namespace {

class CodeCheat : public SandboxTest {
 protected:
  static Verdict graded(const std::string& program) {
    static const Check check = code_check(Sandbox());
    return check.cases[0].turns[0].grade(saying(program));
  }
  static Verdict soon_graded(const std::string& program) {
    static const Check check = code_check(Sandbox({.seconds = 2}));
    return check.cases[0].turns[0].grade(saying(program));
  }
  static void expect_wrong(const std::string& program) {
    const Verdict verdict = graded(program);
    EXPECT_FALSE(verdict.right) << program;
    EXPECT_NE(verdict.why, "") << program;
  }
};

constexpr const char* kAnything =
    "class Anything(int):\n"
    "    def __eq__(self, other): return True\n"
    "    def __ne__(self, other): return False\n"
    "    def __bool__(self): return True\n"
    "    __hash__ = int.__hash__\n";

TEST_F(CodeCheat, HonestProgramsAreRight) {
  for (const char* program :
       {"def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a",
        "from math import gcd", "gcd = __import__('math').gcd",
        "import math\n\ndef gcd(a: int, b: int) -> int:\n    return math.gcd(a, b)\n\n"
        "if __name__ == '__main__':\n    print(gcd(12, 18))\n    print('all tests have passed')",
        "def gcd(a, b): return float(a) if b == 0 else gcd(b, a % b)"}) {
    const Verdict verdict = graded(program);
    EXPECT_TRUE(verdict.right) << program << ": " << verdict.why;
  }
}

TEST_F(CodeCheat, WhatIsPrintedProvesNothing) {
  for (const char* program : {
           "print('all tests have passed')\nimport os\nos._exit(0)",
           "import os\nos.write(1, b'all tests have passed\\n')\nos._exit(0)",
           "import atexit, sys\natexit.register(lambda: print('all tests have "
           "passed'))\nsys.exit(0)",
           "import os, threading\n"
           "def late(): print('all tests have passed', flush=True); os._exit(0)\n"
           "threading.Timer(0.05, late).start()\nimport time\ntime.sleep(3)",
           "import os, signal\n"
           "def late(*_): print('all tests have passed', flush=True); os._exit(0)\n"
           "signal.signal(signal.SIGALRM, late)\nsignal.setitimer(signal.ITIMER_REAL, 0.05)\n"
           "while True: pass",
       }) {
    expect_wrong(program);
  }
}

TEST_F(CodeCheat, ResultsThatAreFakedAreNotTheRightOnes) {
  // The form of the results is no secret; what they have to be is.
  for (const char* answers :
       {"[]", "[true, true, true, true]", R"([{"value": true}])",
        R"([{"value": 1}, {"value": 1}, {"value": 1}, {"value": 1}])",
        R"([{"value": 6}, {"value": 6}, {"value": 6}, {"value": 6}])",
        R"({"right": true, "why": ""})", R"([{"expected": 6, "value": 6}])", "[[[[[[[", "nul"}) {
    const std::string text = answers;
    expect_wrong("import os\nfor fd in range(1, 64):\n    try: os.write(fd, b'" + text +
                 "')\n    except OSError: pass\nos._exit(0)");
    expect_wrong("import json, atexit, os\njson.dumps = lambda *a, **k: '" + text +
                 "'\njson.JSONEncoder.encode = lambda *a, **k: '" + text +
                 "'\njson.dump = lambda v, file, **k: file.write('" + text +
                 "')\ndef gcd(a, b): return 0");
  }
}

TEST_F(CodeCheat, ValuesThatEqualEverythingAreNotRight) {
  expect_wrong(std::string(kAnything) + "def gcd(a, b): return Anything(0)");
  expect_wrong(
      "class Anything:\n"
      "    def __eq__(self, other): return True\n"
      "    def __ne__(self, other): return False\n"
      "def gcd(a, b): return Anything()");
  expect_wrong(
      "class Anything:\n"
      "    __class__ = int\n"
      "    def __eq__(self, other): return True\n"
      "    def __int__(self): return 6\n"
      "def gcd(a, b): return Anything()");
  expect_wrong("from unittest.mock import ANY\ndef gcd(a, b): return ANY");
}

TEST_F(CodeCheat, ThePartsOfTheLanguageMayBeReplaced) {
  expect_wrong(
      "import builtins\n"
      "builtins.AssertionError = type('Never', (BaseException,), {})\n"
      "builtins.all = builtins.any = builtins.bool = lambda *_: True\n"
      "builtins.len = lambda *_: 4\nbuiltins.isinstance = lambda *_: True\n"
      "def gcd(a, b): return 0");
  expect_wrong(
      "import sys\n"
      "class Out:\n"
      "    def write(self, text): sys.__stdout__.write('all tests have passed\\n')\n"
      "    def flush(self): pass\n"
      "sys.stdout = sys.stderr = Out()\n"
      "def gcd(a, b): return 0");
  expect_wrong(
      "import sys, os\n"
      "def hook(*_): print('all tests have passed', flush=True); os._exit(0)\n"
      "sys.excepthook = hook\ndef gcd(a, b): raise ValueError");
  // Assertions that are taken out of the frames which run them.
  expect_wrong(
      "import sys\n"
      "def skip(frame, event, argument):\n"
      "    if event == 'exception': frame.f_trace = None\n"
      "    return skip\n"
      "sys.settrace(skip)\n"
      "sys._getframe().f_trace = skip\n"
      "def gcd(a, b): return 0");
  expect_wrong(
      "import sys\n"
      "class Main(type(sys)):\n"
      "    def __getattr__(self, name): return lambda *_: 0\n"
      "sys.modules['__main__'].__class__ = Main");
}

TEST_F(CodeCheat, ProgramsThatDoNotComeToAnEndAreWrong) {
  for (const char* program :
       {"import time\ndef gcd(a, b):\n    while True: time.sleep(1000)",
        "import signal\nfor s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\nwhile True: pass"}) {
    const Verdict verdict = soon_graded(program);
    EXPECT_FALSE(verdict.right) << program;
    EXPECT_EQ(verdict.why, "does not come to an end") << program;
  }
  expect_wrong("def gcd(a, b): return gcd(b, a)");
  EXPECT_FALSE(soon_graded("while True: print('x' * 100000)").right);
  expect_wrong("import os\nos.kill(os.getpid(), 9)");
  expect_wrong("import os\nwhile True: os.fork()");
  expect_wrong("import os\nif os.fork():\n    print('all tests have passed')\n    os._exit(0)");
}

}  // namespace
}  // namespace pleiad::eval
