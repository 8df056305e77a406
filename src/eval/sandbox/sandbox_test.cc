#include "eval/sandbox/sandbox.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "base/error.h"
#include "eval/sandbox/sandbox_testing.h"
#include "sandbox/descriptor.h"

namespace pleiad::eval {
namespace {

std::string refusal_of_a_sandbox() {
  try {
    const Sandbox sandbox;
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

/// Never skipped: there is a sandbox where the system allows what it consists of (a missing bwrap
/// is a failure), and where there is none its refusal says why.
TEST(Sandbox, IsThereWhereTheSystemAllowsIt) {
  const std::string refusal = refusal_of_a_sandbox();
  if (may_make_namespaces() || refusal.empty()) {
    EXPECT_EQ(refusal, "");
  } else {
    EXPECT_NE(refusal.find("bwrap cannot make a sandbox here: "), std::string::npos) << refusal;
  }
}

void write_file(const char* path, const std::string& text) { std::ofstream(path) << text; }

/// What is refused, and in which words, in a process of its own that has run `prepare`.
std::string refusal_after(bool (*prepare)()) {
  sandbox::Pipe pipe = sandbox::make_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string refusal = prepare() ? refusal_of_a_sandbox() : "not prepared";
    [[maybe_unused]] const ssize_t n = ::write(pipe.to.get(), refusal.data(), refusal.size());
    ::_exit(0);
  }
  pipe.to.close();
  char text[1000];
  const ssize_t n = ::read(pipe.from.get(), text, sizeof(text));
  ::waitpid(child, nullptr, 0);
  return std::string(text, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
}

TEST_F(SandboxTest, NothingRunsWhereThereAreNoNamespaces) {
  const std::string refusal = refusal_after(+[] {
    if (::unshare(CLONE_NEWUSER) != 0) return false;
    write_file("/proc/sys/user/max_user_namespaces", "0");  // here and within, nowhere else
    return ::geteuid() != 0;
  });
  EXPECT_TRUE(refusal.starts_with("bwrap cannot make a sandbox here: bwrap: ")) << refusal;
}

TEST_F(SandboxTest, NothingRunsAsARootThatCannotBecomeNobody) {
  const std::string refusal = refusal_after(+[] {
    const std::string map = fmt::format("0 {} 1", ::geteuid());
    if (::unshare(CLONE_NEWUSER) != 0) return false;
    write_file("/proc/self/uid_map", map);  // root here, and nobody else
    return ::geteuid() == 0;
  });
  EXPECT_EQ(refusal,
            "bwrap cannot make a sandbox here: root cannot become nobody (uid 65534): run this as "
            "another user");
}

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
  EXPECT_NE(in_files.errors.find("No space left"), std::string::npos) << in_files.errors;
  const SandboxResult in_one = sandbox.run_python(
      "with open('/tmp/x', 'wb') as file:\n"
      "    for i in range(200): file.write(b'x' * 1000000)\n");
  EXPECT_NE(in_one.status, 0);
  for (const char* folder : {"", "/dev", "/usr/lib"}) {
    const SandboxResult elsewhere = sandbox.run_python(fmt::format(kFill, 1, folder));
    EXPECT_NE(elsewhere.errors.find("Read-only file system"), std::string::npos)
        << folder << ": " << elsewhere.errors;
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
  const std::string where = sandbox.run_python("x = 1\nboom()").errors;
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
}

}  // namespace
}  // namespace pleiad::eval
