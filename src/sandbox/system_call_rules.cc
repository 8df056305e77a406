#include "sandbox/system_call_rules.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "sandbox/descriptor.h"

namespace pleiad::sandbox {
namespace {

[[noreturn]] void no_filter(int error) {
  throw Error("the filter of system calls cannot be made: {}", errno_text(error));
}

/// libseccomp's results are 0 or an error number below 0.
void check_rule(int result) {
  if (result < 0) no_filter(-result);
}

}  // namespace

SystemCallRules::SystemCallRules()
    : context_(::seccomp_init(SCMP_ACT_ERRNO(ENOSYS)), ::seccomp_release) {
  if (!context_) no_filter(ENOMEM);
  check_rule(::seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
}

void SystemCallRules::add_rule(std::uint32_t action, int call, const scmp_arg_cmp* conditions,
                               std::size_t n) {
  if (call < 0) return;
  check_rule(
      ::seccomp_rule_add_array(context_.get(), action, call, static_cast<unsigned>(n), conditions));
}

std::string SystemCallRules::compiled() const {
  const Descriptor file(::memfd_create("filter", MFD_CLOEXEC));
  check_rule(::seccomp_export_bpf(context_.get(), file.get()));
  std::string program(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
  const ssize_t n = ::pread(file.get(), program.data(), program.size(), 0);
  if (n != static_cast<ssize_t>(program.size())) no_filter(EIO);
  return program;
}

void SystemCallRules::apply() const {
  check_rule(::seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_TSYNC, 1));
  check_rule(::seccomp_load(context_.get()));
}

}  // namespace pleiad::sandbox
