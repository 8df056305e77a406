#include "eval/sandbox/sandbox.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "base/error.h"
#include "eval/battery.h"
#include "eval/eval_testing.h"

namespace pleiad::eval {
namespace {

/// Exits with 0 where the parent is in namespaces of its own and may mount its own /proc.
[[noreturn]] void mount_own_proc() {
  const bool mounted = ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       ::mount("proc", "/proc", "proc", 0, nullptr) == 0;
  ::_exit(mounted ? 0 : 1);
}

int status_of(pid_t child) {
  int status = -1;
  return child > 0 && ::waitpid(child, &status, 0) == child ? status : -1;
}

/// The system lets this process make what a sandbox consists of.
bool may_make_namespaces() {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID) != 0) ::_exit(1);
    const pid_t first = ::fork();
    if (first == 0) mount_own_proc();
    ::_exit(status_of(first) == 0 ? 0 : 1);
  }
  return status_of(child) == 0;
}

/// Never skipped: there is a sandbox exactly where the system allows what it consists of (a
/// missing bwrap is a failure), and elsewhere its refusal says why.
TEST(Sandbox, IsThereWhereTheSystemAllowsIt) {
  std::string refusal;
  try {
    const Sandbox sandbox;
  } catch (const Error& error) {
    refusal = error.what();
  }
  if (may_make_namespaces()) {
    EXPECT_EQ(refusal, "");
  } else {
    EXPECT_NE(refusal.find("bwrap cannot make a sandbox here: "), std::string::npos) << refusal;
  }
}

/// Programs in it. What would be skipped is what the test above holds to be impossible.
class SandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!may_make_namespaces()) GTEST_SKIP() << "the system allows no namespaces";
  }
};

TEST_F(SandboxTest, WhatAProgramCanFillIsSmall) {
  const Sandbox sandbox;
  constexpr std::string_view kFill =
      "for k in range({}):\n"
      "    with open(f'{}/{{k}}', 'wb') as file:\n"
      "        for i in range(20): file.write(b'x' * 1000000)\n"
      "print('all written')\n";
  EXPECT_EQ(sandbox.run_python(fmt::format(kFill, 1, "/tmp")).output, "all written\n");
  const SandboxResult in_files = sandbox.run_python(fmt::format(kFill, 10, "/tmp"));
  EXPECT_NE(in_files.status, 0);
  EXPECT_NE(in_files.output.find("No space left"), std::string::npos) << in_files.output;
  const SandboxResult in_one = sandbox.run_python(
      "with open('/tmp/x', 'wb') as file:\n"
      "    for i in range(200): file.write(b'x' * 1000000)\n");
  EXPECT_NE(in_one.status, 0);
  for (const char* folder : {"", "/dev", "/dev/shm"}) {
    const SandboxResult elsewhere = sandbox.run_python(fmt::format(kFill, 1, folder));
    EXPECT_NE(elsewhere.output.find("Read-only file system"), std::string::npos)
        << folder << ": " << elsewhere.output;
  }
}

TEST_F(SandboxTest, ProgramsAreNobodysAndStartAsFilesDo) {
  const Sandbox sandbox;
  EXPECT_EQ(sandbox.run_python("import os\nprint(os.getuid(), os.getgid())").output,
            "65534 65534\n");
  const SandboxResult future = sandbox.run_python(
      "from __future__ import annotations\n"
      "if __name__ == '__main__': print(sorted(k for k in globals() if k[0] != '_'))\n");
  EXPECT_EQ(future.output, "['annotations']\n");
  const std::string where = sandbox.run_python("x = 1\nboom()").output;
  EXPECT_NE(where.find("\"/program.py\", line 2"), std::string::npos) << where;
}

TEST_F(SandboxTest, RunsProgramsWithoutHarm) {
  SandboxLimits limits;
  limits.seconds = 5;
  limits.output_bytes = 1000;
  std::optional<Sandbox> sandbox(limits);
  EXPECT_EQ(sandbox->run_python("print(1 + 1)").output, "2\n");
  EXPECT_EQ(sandbox->run_python("raise SystemExit(3)").status, 3);
  EXPECT_EQ(sandbox->run_python("print('x' * 100000)").output.size(), 1000U);
  EXPECT_NE(sandbox->run_python("open('/etc/passwd')").status, 0);
  EXPECT_NE(sandbox->run_python("open('/usr/x', 'w')").status, 0);
  EXPECT_NE(sandbox
                ->run_python("import socket\n"
                             "socket.create_connection(('127.0.0.1', 22), 1)")
                .status,
            0);
  EXPECT_NE(sandbox->run_python("x = bytearray(3 << 30)").status, 0);
  EXPECT_EQ(sandbox->run_python("import os\nprint('HOME' in os.environ)").output, "False\n");
  sandbox.emplace(SandboxLimits{.seconds = 0.5});
  EXPECT_TRUE(sandbox->run_python("while True: pass").timed_out);
  EXPECT_TRUE(
      sandbox->run_python("import os, time\nos.close(1)\nos.close(2)\ntime.sleep(60)").timed_out);

  const Check check = code_check(*sandbox);
  const Grader& gcd = check.cases[0].turns[0].grade;
  EXPECT_TRUE(gcd(saying("```python\ndef gcd(a, b):\n    while b:\n        a, b = b, a % b\n"
                         "    return a\n```"))
                  .right);
  const Verdict wrong = gcd(saying("def gcd(a, b): return a"));
  EXPECT_FALSE(wrong.right);
  EXPECT_NE(wrong.why.find("AssertionError"), std::string::npos) << wrong.why;
  EXPECT_FALSE(gcd(saying("import sys\nsys.exit(0)")).right);
  EXPECT_FALSE(gcd(saying("I cannot.")).right);
  const Grader& merge = check.cases[5].turns[0].grade;
  EXPECT_TRUE(
      merge(saying("def merge(a, b):\n  \"\"\"Merges without sorted() or .sort().\"\"\"\n  c = []\n"
                   "  while a and b: c.append((a if a[0] <= b[0] else b).pop(0))\n"
                   "  return c + a + b"))
          .right);
  for (const char* sorts : {"def merge(a, b): return sorted (a + b)",
                            "def merge(a, b):\n  by = sorted\n  return by(a + b)",
                            "def merge(a, b):\n  c = a + b\n  c.sort()\n  return c"}) {
    const Verdict sorted = merge(saying(sorts));
    EXPECT_FALSE(sorted.right) << sorts;
    EXPECT_NE(sorted.why.find("sorts by a call"), std::string::npos) << sorted.why;
  }
}

}  // namespace
}  // namespace pleiad::eval
