// Programs that try to get out of the sandbox, to learn what stands outside, or to use it up.

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "eval/sandbox/sandbox.h"
#include "eval/sandbox/sandbox_testing.h"

namespace pleiad::eval {
namespace {

class SandboxEscape : public SandboxTest {
 protected:
  /// What the program prints.
  std::string run(const std::string& program) const {
    const SandboxResult result = Sandbox().run_python(program);
    EXPECT_EQ(result.status, 0) << result.errors;
    return result.output;
  }
};

// libc as Python sees it; call(number, ...) is the name of the error, or the value.
constexpr std::string_view kCalls =
    "import ctypes, errno\n"
    "libc = ctypes.CDLL(None, use_errno=True)\n"
    "libc.syscall.restype = ctypes.c_long\n"
    "def call(number, *arguments):\n"
    "    value = libc.syscall(ctypes.c_long(number), *[ctypes.c_ulong(a) for a in arguments])\n"
    "    return errno.errorcode[ctypes.get_errno()] if value == -1 else value\n";

TEST_F(SandboxEscape, NothingButTmpCanBeWritten) {
  EXPECT_EQ(run("import os\n"
                "for name in ('/proc/sys/kernel/core_pattern', '/proc/sys/vm/overcommit_memory',\n"
                "             '/proc/sysrq-trigger', '/proc/self/mem', '/sys/kernel/mm/ksm/run',\n"
                "             '/start.py', '/program.py', '/usr/bin/python3'):\n"
                "    try:\n"
                "        os.close(os.open(name, os.O_WRONLY))\n"
                "        print(name, 'is open')\n"
                "    except OSError: pass\n"
                "for name in ('/', '/dev', '/usr', '/usr/bin', '/usr/lib'):\n"
                "    if os.access(name, os.W_OK): print(name, 'is open')\n"
                "    if not os.statvfs(name).f_flag & os.ST_RDONLY: print(name, 'is writable')\n"),
            "");
}

TEST_F(SandboxEscape, FilesAreThoseThatPythonNeeds) {
  EXPECT_EQ(run("import os\n"
                "print(*sorted(set(os.listdir('/')) - {'lib64'}))\n"
                "print(*sorted(os.listdir('/dev')))\n"
                "print(*sorted(set(os.listdir('/usr')) - {'lib64'}))\n"
                "print(*os.listdir('/usr/bin'))\n"
                "print(os.listdir('/tmp'))\n"),
            "dev lib program.py start.py tmp usr\n"
            "null urandom zero\n"
            "bin lib\n"
            "python3\n"
            "[]\n");
}

TEST_F(SandboxEscape, DescriptorsOfOursStayOutside) {
  const std::filesystem::path path =
      ::testing::TempDir() + fmt::format("pleiad-descriptor-{}", ::getpid());
  const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_APPEND, 0600);
  ASSERT_GE(file, 0);
  ASSERT_EQ(::dup2(file, 9), 9);      // as a shell's exec 9>>file does: nothing closes it
  ASSERT_EQ(::dup2(file, 700), 700);  // above the limit that holds inside
  EXPECT_EQ(run("import os\n"
                "kept = []\n"
                "for fd in range(1024):\n"
                "    try: os.fstat(fd)\n"
                "    except OSError: continue\n"
                "    kept.append(fd)\n"
                "    try: fd > 2 and os.write(fd, b'leaked')\n"
                "    except OSError: pass\n"
                "print(kept)\n"),
            "[0, 1, 2]\n");
  EXPECT_EQ(std::filesystem::file_size(path), 0U);
  for (const int fd : {file, 9, 700}) ::close(fd);
  std::filesystem::remove(path);
}

TEST_F(SandboxEscape, EnvironmentStaysOutside) {
  ::setenv("PLEIAD_API_KEY", "secret-1", 1);
  ::setenv("HF_TOKEN", "secret-2", 1);
  ::setenv("LD_LIBRARY_PATH", "/tmp", 1);
  ::setenv("PYTHONPATH", "/tmp", 1);
  // LC_CTYPE is Python's own, PWD is bwrap's.
  EXPECT_EQ(run("import os\nprint(sorted(set(os.environ) - {'LC_CTYPE', 'PWD'}))\n"
                "libc = __import__('ctypes').CDLL(None)\n"
                "print(libc.getenv(b'HF_TOKEN'))\n"),
            "[]\n0\n");
  for (const char* name : {"PLEIAD_API_KEY", "HF_TOKEN", "LD_LIBRARY_PATH", "PYTHONPATH"}) {
    ::unsetenv(name);
  }
}

/// The processes outside's view has of Python in sandboxes, as /proc/<pid>/status says.
std::vector<std::string> statuses_of_sandboxed() {
  std::vector<std::string> found;
  const auto whole = [](const std::filesystem::path& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
    const std::string command = whole(entry.path() / "cmdline");
    if (command.starts_with("/usr/bin/python3") &&
        command.ends_with(std::string("/start.py\0", 10))) {
      found.push_back(whole(entry.path() / "status"));
    }
  }
  return found;
}

TEST_F(SandboxEscape, IsNobodyAlsoWhereRootStartsIt) {
  const Sandbox sandbox;
  std::atomic<bool> ended = false;
  std::thread runs([&] {
    sandbox.run_python("import time\ntime.sleep(2)\n");
    ended = true;
  });
  std::vector<std::string> found;
  while (found.empty() && !ended) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    found = statuses_of_sandboxed();
  }
  runs.join();
  ASSERT_FALSE(found.empty());
  for (const std::string& status : found) {
    if (status.find("\nUid:") == std::string::npos) continue;  // ended meanwhile
    EXPECT_EQ(status.find("\nUid:\t0"), std::string::npos) << status;
    EXPECT_EQ(status.find("\nGid:\t0"), std::string::npos) << status;
    for (const char* line :
         {"\nCapInh:\t0000000000000000\n", "\nCapPrm:\t0000000000000000\n",
          "\nCapEff:\t0000000000000000\n", "\nCapBnd:\t0000000000000000\n",
          "\nCapAmb:\t0000000000000000\n", "\nNoNewPrivs:\t1\n", "\nSeccomp:\t2\n"}) {
      EXPECT_NE(status.find(line), std::string::npos) << line << status;
    }
  }
}

struct SystemCall {
  const char* name;
  long number;
};

TEST_F(SandboxEscape, SystemCallsThatReachTheKernelsDepthsAreRefused) {
  // Each with six zeros, by which most do nothing where they are allowed.
  const SystemCall calls[] = {
      {"io_uring_setup", SYS_io_uring_setup},
      {"io_uring_enter", SYS_io_uring_enter},
      {"io_uring_register", SYS_io_uring_register},
      {"userfaultfd", SYS_userfaultfd},
      {"bpf", SYS_bpf},
      {"perf_event_open", SYS_perf_event_open},
      {"keyctl", SYS_keyctl},
      {"add_key", SYS_add_key},
      {"request_key", SYS_request_key},
      {"ptrace", SYS_ptrace},
      {"process_vm_readv", SYS_process_vm_readv},
      {"process_vm_writev", SYS_process_vm_writev},
      {"pidfd_open", SYS_pidfd_open},
      {"pidfd_getfd", SYS_pidfd_getfd},
      {"kcmp", SYS_kcmp},
      {"mount", SYS_mount},
      {"umount2", SYS_umount2},
      {"pivot_root", SYS_pivot_root},
      {"chroot", SYS_chroot},
      {"open_tree", SYS_open_tree},
      {"move_mount", SYS_move_mount},
      {"fsopen", SYS_fsopen},
      {"unshare", SYS_unshare},
      {"setns", SYS_setns},
      {"clone3", SYS_clone3},
      {"memfd_create", SYS_memfd_create},
      {"memfd_secret", 447},
      {"shmget", SYS_shmget},
      {"semget", SYS_semget},
      {"msgget", SYS_msgget},
      {"mq_open", SYS_mq_open},
      {"mlock", SYS_mlock},
      {"mlockall", SYS_mlockall},
      {"remap_file_pages", SYS_remap_file_pages},
      {"mbind", SYS_mbind},
      {"move_pages", SYS_move_pages},
      {"timer_create", SYS_timer_create},
      {"inotify_init1", SYS_inotify_init1},
      {"fanotify_init", SYS_fanotify_init},
      {"name_to_handle_at", SYS_name_to_handle_at},
      {"open_by_handle_at", SYS_open_by_handle_at},
      {"init_module", SYS_init_module},
      {"finit_module", SYS_finit_module},
      {"kexec_load", SYS_kexec_load},
      {"swapon", SYS_swapon},
      {"acct", SYS_acct},
      {"syslog", SYS_syslog},
      {"personality", SYS_personality},
      {"seccomp", SYS_seccomp},
      {"landlock_create_ruleset", 444},
      {"setuid", SYS_setuid},
      {"setgroups", SYS_setgroups},
      {"capset", SYS_capset},
      {"sched_setscheduler", SYS_sched_setscheduler},
      {"sched_setaffinity", SYS_sched_setaffinity},
      {"setpriority", SYS_setpriority},
      {"ioprio_set", SYS_ioprio_set},
      {"settimeofday", SYS_settimeofday},
      {"clock_settime", SYS_clock_settime},
      {"adjtimex", SYS_adjtimex},
      {"sethostname", SYS_sethostname},
      {"quotactl", SYS_quotactl},
      {"splice", SYS_splice},
      {"vmsplice", SYS_vmsplice},
      {"tee", SYS_tee},
      {"mknodat", SYS_mknodat},
      {"socketpair", SYS_socketpair},
      {"bind", SYS_bind},
      {"connect", SYS_connect},
      {"sendmsg", SYS_sendmsg},
      {"not yet known", 5000},
  };
  std::string program(kCalls);
  for (const SystemCall& call : calls) {
    program += fmt::format("print('{}', call({}, 0, 0, 0, 0, 0, 0))\n", call.name, call.number);
  }
  const std::string printed = run(program);
  for (const SystemCall& call : calls) {
    const std::string word = fmt::format("{} ", call.name);
    const std::size_t at = printed.find(word);
    ASSERT_NE(at, std::string::npos) << call.name;
    const std::string result =
        printed.substr(at + word.size(), printed.find('\n', at) - at - word.size());
    EXPECT_TRUE(result == "EPERM" || result == "ENOSYS") << call.name << ": " << result;
  }
}

TEST_F(SandboxEscape, ThereAreNoSockets) {
  EXPECT_EQ(run("import socket\n"
                "for family in (1, 2, 10, 16, 17, 31, 38, 40, 44):\n"  // vsock is 40, AF_ALG 38
                "    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):\n"
                "        try:\n"
                "            socket.socket(family, kind)\n"
                "            print(family, kind, 'is there')\n"
                "        except PermissionError: pass\n"
                "        except OSError as error: print(family, kind, error)\n"),
            "");
}

TEST_F(SandboxEscape, ThereAreThreadsButNoProcesses) {
  EXPECT_EQ(
      run("import threading\n"
          "sums = []\n"
          "workers = [threading.Thread(target=lambda k=k: sums.append(k)) for k in range(8)]\n"
          "for worker in workers: worker.start()\n"
          "for worker in workers: worker.join()\n"
          "print(sum(sums))\n"),
      "28\n");
  EXPECT_EQ(run("import threading, time\n"
                "try:\n"
                "    for k in range(64): threading.Thread(target=time.sleep, args=(1,), "
                "daemon=True).start()\n"
                "    print('64 threads')\n"
                "except RuntimeError: print('too many')\n"),
            "too many\n");
  // What makes a process, or a thread in namespaces of its own.
  constexpr std::string_view kForks =
      "import os, subprocess\n"
      "def tried(make):\n"
      "    try:\n"
      "        if make() == 0: os._exit(0)\n"
      "        return 'made'\n"
      "    except OSError: return 'refused'\n"
      "print(tried(os.fork), tried(os.forkpty), tried(lambda: "
      "subprocess.run(['/usr/bin/python3'])),\n"
      "      tried(lambda: os.posix_spawn('/usr/bin/python3', ['python3'], {{}})))\n"
      "for flags in (17, 0x11, 0x4011, 0x10000011, 0x20000011, 0x40000011, 0x80000011, 0x10f00 | "
      "0x10000000,\n"
      "              0x10f00 | 0x00020000):\n"
      "    if (made := call({}, flags, 0, 0, 0, 0)) == 0: os._exit(0)\n"
      "    print(made)\n";
  std::string refused = "refused refused refused refused\n";
  for (int i = 0; i < 7; ++i) refused += "EPERM\n";
  refused += "ENOSYS\nENOSYS\n";
  EXPECT_EQ(run(std::string(kCalls) + fmt::format(kForks, SYS_clone)), refused);
}

#ifdef __x86_64__
TEST_F(SandboxEscape, OtherArchitecturesSystemCallsEndTheProgram) {
  // mov eax, 20; int 0x80; ret: getpid of 32-bit programs. Where the kernel has none of them it is
  // a fault.
  const SandboxResult old = Sandbox().run_python(
      "import ctypes, mmap\n"
      "page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n"
      "page.write(bytes.fromhex('b814000000cd80c3'))\n"
      "at = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
      "print(ctypes.CFUNCTYPE(ctypes.c_int)(at)())\n");
  EXPECT_TRUE(old.status == 128 + SIGSYS || old.status == 128 + SIGSEGV) << old.status;
  EXPECT_EQ(old.output, "");
  const SandboxResult x32 =
      Sandbox().run_python(std::string(kCalls) + "print(call(0x40000000 + 39))\n");
  EXPECT_EQ(x32.status, 128 + SIGSYS);
  EXPECT_EQ(x32.output, "");
}
#endif

TEST_F(SandboxEscape, ThereIsNoTerminal) {
  EXPECT_EQ(run("import fcntl, os, termios\n"
                "print(os.isatty(0), os.isatty(1), os.isatty(2), os.path.exists('/dev/tty'))\n"
                "for fd in (0, 1, 2):\n"
                "    for request in (termios.TIOCSTI, 0x541c, termios.TIOCSCTTY):\n"  // TIOCLINUX
                "        try: print(fcntl.ioctl(fd, request, b'x'))\n"
                "        except OSError: pass\n"),
            "False False False False\n");
}

TEST_F(SandboxEscape, LimitsHoldAndCannotBeMoved) {
  // A limit of one byte for core dumps keeps even a program of the system that gets them from
  // being started, which one of zero does not.
  EXPECT_EQ(run("import resource as r\n"
                "for name in ('CORE', 'AS', 'FSIZE', 'NOFILE', 'CPU', 'MEMLOCK', 'MSGQUEUE'):\n"
                "    kind = getattr(r, 'RLIMIT_' + name)\n"
                "    print(name, *r.getrlimit(kind))\n"
                "    for limit in (0, r.RLIM_INFINITY):\n"
                "        try: r.setrlimit(kind, (limit, limit))\n"
                "        except (OSError, ValueError): continue\n"
                "        print(name, 'was moved')\n"
                "try: r.setrlimit(r.RLIMIT_NPROC, (100, 100))\n"
                "except (OSError, ValueError): print('NPROC stays')\n"),
            "CORE 1 1\nAS 1073741824 1073741824\nFSIZE 67108864 67108864\nNOFILE 64 64\n"
            "CPU 11 11\nMEMLOCK 0 0\nMSGQUEUE 0 0\nNPROC stays\n");
}

TEST_F(SandboxEscape, PlainPythonWorks) {
  EXPECT_EQ(
      run("import ast, collections, dataclasses, datetime, decimal, functools, hashlib, heapq\n"
          "import itertools, json, math, os, random, re, shutil, signal, statistics, string\n"
          "import tempfile, time, typing, unittest, uuid, queue, concurrent.futures, asyncio\n"
          "with tempfile.TemporaryDirectory() as folder:\n"
          "    name = os.path.join(folder, 'x')\n"
          "    with open(name, 'w+') as file:\n"
          "        file.write('abc')\n"
          "        file.truncate(2)\n"
          "    os.rename(name, name + 'y')\n"
          "    shutil.copy(name + 'y', name)\n"
          "    print(open(name).read(), sorted(os.listdir(folder)))\n"
          "signal.signal(signal.SIGALRM, lambda *_: print('alarm'))\n"
          "signal.setitimer(signal.ITIMER_REAL, 0.01)\n"
          "time.sleep(0.05)\n"
          "with concurrent.futures.ThreadPoolExecutor(2) as pool: print(list(pool.map(abs, [-1, "
          "-2])))\n"
          "print(len(os.urandom(4)), random.random() < 1, datetime.datetime.now().year > 2000)\n"
          "a, b = os.pipe()\n"
          "os.write(b, b'z')\n"
          "print(os.read(a, 1), os.cpu_count() > 0, time.process_time() > 0)\n"),
      "ab ['x', 'xy']\nalarm\n[1, 2]\n4 True True\nb'z' True True\n");
}

TEST_F(SandboxEscape, WhatIsPrintedIsBoundedOnBothStreams) {
  SandboxLimits limits;
  limits.output_bytes = 1000;
  const SandboxResult flood = Sandbox(limits).run_python(
      "import sys\n"
      "for k in range(3000):\n"
      "    sys.stdout.write('o' * 10000)\n"
      "    sys.stderr.write('e' * 10000)\n");
  EXPECT_EQ(flood.status, 0);
  EXPECT_FALSE(flood.timed_out);
  EXPECT_EQ(flood.output, std::string(1000, 'o'));
  EXPECT_EQ(flood.errors, std::string(1000, 'e'));
}

}  // namespace
}  // namespace pleiad::eval
