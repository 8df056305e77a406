#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace pleiad::media {

/// What a process that reads a document may use at most.
struct ProgramLimits {
  std::uint64_t memory_bytes = 0;  // of addresses
  std::uint64_t cpu_seconds = 0;
};

/// What confines a program that is not ours.
struct ProgramConfinement {
  bool own_network = false;    // an empty network; without it no call makes a socket all the same
  bool own_files = false;      // a file system with libraries and fonts alone
  bool readable_only = false;  // the kernel opens nothing else (Landlock)

  /// As a number of one digit; what has no meaning counts for nothing.
  unsigned bits() const;
  static ProgramConfinement from_bits(unsigned bits);

  /// "filter of system calls, limits of memory and time, no descriptors, ..."
  std::string text() const;
};

/// Confines this process, for ever, so that all it can do is to load libraries and fonts, read its
/// standard input, compute in memory, and write its standard output and error; says so (`announce`
/// is told), and becomes that program. No other descriptors, no environment, no sockets, processes
/// or threads, no file that is written, none that is read but the system's libraries, fonts and
/// poppler's tables, no second program. Throws Error that says what cannot be had: where the system
/// allows neither an own file system nor Landlock, nothing is executed.
///
/// words[0] is the program's absolute path, the rest its arguments.
[[noreturn]] void become_program(std::span<const char* const> words, const ProgramLimits& limits,
                                 void (*announce)(const ProgramConfinement&));

}  // namespace pleiad::media
