#pragma once

#include <seccomp.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace pleiad::sandbox {

/// A condition: those bits of the argument of that index (from 0) are these.
constexpr scmp_arg_cmp argument_is(unsigned index, std::uint64_t value,
                                   std::uint64_t bits = ~0ULL) {
  return {index, SCMP_CMP_MASKED_EQ, bits, value};
}

/// A filter of system calls (seccomp) while it is put together. What no rule allows does not exist
/// (ENOSYS); calls of another architecture end the process. Members throw Error.
class SystemCallRules {
 public:
  SystemCallRules();

  /// `action` is SCMP_ACT_ALLOW or SCMP_ACT_ERRNO(...), where all conditions hold, or always
  /// without any. A call that this architecture does not have is left out.
  template <typename... Conditions>
  void add(std::uint32_t action, int call, Conditions... conditions) {
    const std::array<scmp_arg_cmp, sizeof...(conditions)> all = {conditions...};
    add_rule(action, call, all.data(), all.size());
  }

  /// The kernel's program, in the form that bwrap's --seccomp reads.
  std::string compiled() const;

  /// From now on the filter holds for this process: for all its threads, what they start, and for
  /// ever. Nothing that is executed gives new privileges (no_new_privs).
  void apply() const;

 private:
  void add_rule(std::uint32_t action, int call, const scmp_arg_cmp* conditions, std::size_t n);

  std::unique_ptr<void, decltype(&::seccomp_release)> context_;
};

}  // namespace pleiad::sandbox
