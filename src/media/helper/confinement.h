#pragma once

#include <cstdint>
#include <string>

#include "media/helper/helper_task.h"

namespace pleiad::media {

/// What confines a helper. The filter of system calls and the limits always do; where a system
/// allows no namespaces these are not there, and the filter alone keeps network and files out of
/// reach.
struct Confinement {
  bool own_network = false;
  bool own_files = false;

  /// As numbers of a message; bits without a meaning count for nothing.
  std::uint32_t bits() const { return (own_network ? 1U : 0U) | (own_files ? 2U : 0U); }
  static Confinement from_bits(std::uint32_t bits) { return {(bits & 1U) != 0, (bits & 2U) != 0}; }

  /// "system calls, memory and time; no network and no files of its own: the system allows ..."
  std::string text() const;
};

/// Confines this process, for ever, so that all it can do is to read its standard input, compute in
/// memory, and write its standard output and error: no other descriptors, no system calls but for
/// that (no files, sockets, processes, threads, memory with code), no core dump, nobody instead of
/// root, and where the system allows it neither network nor files in sight. The first to be killed
/// where memory is short. Throws Error that says what cannot be had.
Confinement confine_helper(const HelperLimits& limits);

}  // namespace pleiad::media
