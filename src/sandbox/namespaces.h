#pragma once

#include <span>

namespace pleiad::sandbox {

/// What a process has to itself.
struct OwnNamespaces {
  bool network =
      false;           // a network without any device, and System V IPC, names of hosts and groups
  bool files = false;  // a file system with nothing in it but what is to be readable, all read-only
};

/// Moves this process, which must have one thread, into a user namespace of its own and, as the
/// root of that, into a network without anything in it and a file system with these folders and
/// files alone, under their own paths (absolute, and not below /proc); those that are not there are
/// left out. Then gives up what it may as that root. Systems allow all of it, some or nothing: that
/// is told. No process namespace: it holds for children alone.
OwnNamespaces leave_common_namespaces(std::span<const char* const> readable = {});

}  // namespace pleiad::sandbox
