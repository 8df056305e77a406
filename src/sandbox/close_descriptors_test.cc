#include "sandbox/close_descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sandbox/fork_testing.h"

namespace pleiad::sandbox {
namespace {

void fill_descriptors() {
  for (int fd = 3; fd < 300; ++fd) ::dup2(STDERR_FILENO, fd);
}

TEST(CloseDescriptors, MarksAllButTheStandardOnesAlsoWhereTheKernelHasNoCloseRange) {
  for (bool (*const mark)() : {&close_on_exec, &close_on_exec_one_by_one}) {
    EXPECT_EQ(status_of_child([mark] {
                fill_descriptors();
                bool right = mark();
                for (int fd = 0; fd < 300; ++fd) {
                  right = right && ((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0) == (fd > 2);
                }
                return right;
              }),
              0);
  }
}

TEST(CloseDescriptors, ClosesAllButTheStandardOnesAlsoWhereTheKernelHasNoCloseRange) {
  for (bool (*const close_all)() : {&close_others, &close_others_one_by_one}) {
    EXPECT_EQ(status_of_child([close_all] {
                fill_descriptors();
                bool right = close_all();
                for (int fd = 0; fd < 300; ++fd) {
                  right = right && (::fcntl(fd, F_GETFD) >= 0) == (fd <= 2);
                }
                return right;
              }),
              0);
  }
}

}  // namespace
}  // namespace pleiad::sandbox
