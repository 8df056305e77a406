#include "store/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "store/test_stores.h"

namespace pleiad::store {
namespace {

class StoreLockTest : public StoresTest {
 protected:
  /// Asks without waiting, with a descriptor of its own, as another process has one.
  bool can_lock(int how) const {
    const Path path = options_.own / "lock";
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    EXPECT_GE(file, 0);
    const int status = ::flock(file, how | LOCK_NB);
    EXPECT_TRUE(status == 0 || errno == EWOULDBLOCK) << errno;
    ::close(file);
    return status == 0;
  }
};

TEST_F(StoreLockTest, WhoHoldsItIsAlone) {
  {
    const StoreLock lock(options_.own);
    EXPECT_FALSE(can_lock(LOCK_EX));
    EXPECT_FALSE(can_lock(LOCK_SH)) << "two may have it at once";
  }
  EXPECT_TRUE(can_lock(LOCK_EX));
}

TEST_F(StoreLockTest, EachStoreHasItsOwn) {
  const StoreLock lock(options_.own);
  const StoreLock other(root_ / "other");
  EXPECT_FALSE(can_lock(LOCK_SH));
}

}  // namespace
}  // namespace pleiad::store
