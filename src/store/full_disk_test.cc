#include <sys/resource.h>

#include <csignal>

#include "store/test_stores.h"

namespace pleiad::store {
namespace {

using ::testing::HasSubstr;

/// While it lives, no file can grow beyond `bytes`: a disk that is full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_ = {};
  void (*handler_)(int) = nullptr;
};

using FullDiskTest = StoresTest;

TEST_F(FullDiskTest, ABlobThatDoesNotFitLeavesNothing) {
  Catalog catalog(options_);
  const std::string bytes(100'000, 'x');
  const std::string digest = "sha256:" + sha256_hex(bytes);
  {
    const FileSizeLimit full(50'000);
    auto writer = catalog.write_blob(digest);
    EXPECT_THROW(writer->write(bytes), Error);
  }
  EXPECT_EQ(count_below(root_ / "own/blobs"), 0);
  EXPECT_FALSE(catalog.has_blob(digest));
  put_blob(catalog, bytes);
  EXPECT_TRUE(catalog.has_blob(digest)) << "once there is space again";
}

TEST_F(FullDiskTest, AModelThatCannotBeWrittenLeavesTheOldOne) {
  Catalog catalog(options_);
  NewModel model = from("mine", "demo");
  model.recipe.system = "old";
  catalog.create(model);
  const std::size_t before = count_below(root_ / "own");
  model.recipe.system = std::string(10'000, 'n');
  {
    const FileSizeLimit full(5'000);
    EXPECT_THROW(catalog.create(model), Error);
    model.name = "other";
    EXPECT_THROW(catalog.create(model), Error);
  }
  EXPECT_EQ(catalog.find("mine").value().recipe.system, "old");
  EXPECT_FALSE(catalog.find("other").ok());
  EXPECT_EQ(count_below(root_ / "own"), before);
}

}  // namespace
}  // namespace pleiad::store
