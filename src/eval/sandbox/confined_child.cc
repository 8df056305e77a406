#include "eval/sandbox/confined_child.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "sandbox/close_descriptors.h"
#include "sandbox/limits.h"

namespace pleiad::eval {
namespace {

[[noreturn]] void refuse(const char* why) {
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, why, std::strlen(why));
  ::_exit(126);
}

void limit(__rlimit_resource_t resource, rlim_t most) {
  if (!sandbox::limit_resource(resource, most)) refuse("a limit of resources cannot be set");
}

void set_limits(const SandboxLimits& limits) {
  limit(RLIMIT_AS, limits.memory_bytes);
  limit(RLIMIT_STACK, rlim_t{8} << 20);
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds) + 1);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_NOFILE, 64);
  limit(RLIMIT_MEMLOCK, 0);
  limit(RLIMIT_MSGQUEUE, 0);
  if (!sandbox::forbid_core_dumps()) refuse("a limit of resources cannot be set");
}

void give_up_root() {
  if (!sandbox::give_up_root()) {
    refuse("root cannot become nobody (uid 65534): run this as another user");
  }
}

}  // namespace

void become_confined(char* const* argv, const ChildDescriptors& descriptors,
                     const SandboxLimits& limits) {
  ::setsid();
  if (::dup2(descriptors.errors, STDERR_FILENO) < 0) ::_exit(126);
  if (::dup2(descriptors.input, STDIN_FILENO) < 0 ||
      ::dup2(descriptors.output, STDOUT_FILENO) < 0) {
    refuse("the input and outputs cannot be had");
  }
  if (!sandbox::close_on_exec()) refuse("descriptors cannot be closed");
  for (const int fd : descriptors.kept) {
    if (::fcntl(fd, F_SETFD, 0) != 0) refuse("descriptors cannot be kept");
  }
  set_limits(limits);
  give_up_root();
  char* const no_environment[] = {nullptr};
  ::execve(argv[0], argv, no_environment);
  refuse("bwrap cannot be started");
}

}  // namespace pleiad::eval
