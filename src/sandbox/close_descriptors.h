#pragma once

namespace pleiad::sandbox {

// All but the three standard descriptors. Nothing is allocated, so that these may run between a
// fork and an execve. False where a descriptor may be left.

/// Marks them to be closed by execve.
bool close_on_exec();
/// Closes them now.
bool close_others();

/// The same where the kernel has no close_range (before Linux 5.9; that marks: 5.11).
bool close_on_exec_one_by_one();
bool close_others_one_by_one();

}  // namespace pleiad::sandbox
