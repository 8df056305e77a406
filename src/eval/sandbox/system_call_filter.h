#pragma once

#include <string>

namespace pleiad::eval {

/// A program of the kernel's for seccomp, in the form that bwrap's --seccomp reads. It allows what
/// Python needs to compute, to use its own files, threads and signals, and to tell the time. Other
/// system calls do not exist (ENOSYS) or, where programs are likely to try them, are refused
/// (EPERM); those of another architecture end the process. Throws Error where it cannot be made.
std::string system_call_filter();

}  // namespace pleiad::eval
