#pragma once

#include <span>

#include "eval/sandbox/sandbox.h"

namespace pleiad::eval {

/// What a program that is about to be started gets of ours.
struct ChildDescriptors {
  int input;
  int output;
  int errors;
  std::span<const int> kept;  // above 2, under the same numbers
};

/// The rest of a forked child's life: a session of its own, the limits, nobody instead of root, no
/// other descriptors, no environment, then the program argv[0]. What cannot be had is said on
/// `errors` and ends the child with status 126. Allocates nothing: other threads of ours may have
/// held the allocator's lock at the fork.
[[noreturn]] void become_confined(char* const* argv, const ChildDescriptors& descriptors,
                                  const SandboxLimits& limits);

}  // namespace pleiad::eval
