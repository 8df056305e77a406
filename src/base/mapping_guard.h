#pragma once

#include <cstddef>
#include <span>

namespace pleiad {

struct GuardedRange;

/// Keeps the process alive where pages of a mapped file are gone: the file was cut off, or the
/// disk has an error. Reading such a page raises SIGBUS. While this object lives zeros stand
/// there instead, from that page to the end of the mapping, and lost() is true: whoever reads the
/// mapping asks afterwards and throws away what was made of it.
///
/// The first object installs the handler of SIGBUS for the process. Faults elsewhere go to the
/// handler that was there before.
class MappingGuard {
 public:
  /// `mapping`: a whole mapping, which is read only. It may be unmapped once the object has gone.
  explicit MappingGuard(std::span<const std::byte> mapping);
  ~MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;

  bool lost() const;

 private:
  GuardedRange* range_;
};

}  // namespace pleiad
