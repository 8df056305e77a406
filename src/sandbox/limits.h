#pragma once

#include <sys/resource.h>

// What a process gives up of its own rights before it does what is not trusted. All of these
// allocate nothing, so that they may run between a fork and an execve too, where other threads may
// have held the allocator's lock.
namespace pleiad::sandbox {

/// Sets both limits of a resource, never to more than what holds already; false where that fails.
bool limit_resource(__rlimit_resource_t resource, rlim_t most);

/// No dump of memory, and (what 0 would not do) no program of the system's that is handed one.
bool forbid_core_dumps();

/// Where memory is short this process is the first to be killed: others hold models. It can be that
/// nobody may say so.
void offer_memory_first();

/// A process of root's becomes nobody's (uid and gid 65534, no groups); others stay who they are.
/// False where that fails. It is for a process with one thread: other ones keep what they are.
bool give_up_root();

}  // namespace pleiad::sandbox
