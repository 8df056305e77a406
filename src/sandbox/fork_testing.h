#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace pleiad::sandbox {

/// Runs `act` in a forked child, which then ends with status 0 where it is true and 1 otherwise;
/// what waitpid says of it.
template <typename Act>
int status_of_child(const Act& act) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(act() ? 0 : 1);
  int status = -1;
  if (child > 0) ::waitpid(child, &status, 0);
  return status;
}

}  // namespace pleiad::sandbox
