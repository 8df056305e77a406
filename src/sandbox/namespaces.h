#pragma once

namespace pleiad::sandbox {

/// What a process has to itself.
struct OwnNamespaces {
  bool network =
      false;           // a network without any device, and System V IPC, names of hosts and groups
  bool files = false;  // an empty file system that nothing can be written to
};

/// Moves this process, which must have one thread, into a user namespace of its own and, as the
/// root of that, into a network and a file system without anything in them; then gives up what it
/// may as that root. Systems allow all of it, some or nothing: that is told. No process namespace:
/// it holds for children alone.
OwnNamespaces leave_common_namespaces();

}  // namespace pleiad::sandbox
