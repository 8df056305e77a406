#include "store/leftovers.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output_file.h"
#include "store/blobs.h"
#include "store/test_stores.h"

namespace pleiad::store {
namespace {

namespace fs = std::filesystem;

class LeftoversTest : public StoresTest {
 protected:
  LeftoversTest() : store_(root_ / "own"), blobs_(store_ / "blobs") {}

  std::size_t n_blobs() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(blobs_), fs::directory_iterator()));
  }

  const fs::path store_;
  const fs::path blobs_;
  const std::string hex_ = std::string(64, 'a');
};

TEST_F(LeftoversTest, AnUploadThatWasKilledIsRemoved) {
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto writer = make_blob_writer(store_, hex_);
    writer->write(std::string(1000, 'x'));
    const char done = '!';
    if (::write(told[1], &done, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char done = 0;
  ASSERT_EQ(::read(told[0], &done, 1), 1);
  // While it is written it stays, whoever else begins.
  EXPECT_EQ(remove_leftovers(store_).n_files, 0U);
  EXPECT_EQ(n_blobs(), 1U);
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const Leftovers removed = remove_leftovers(store_);
  EXPECT_EQ(removed.n_files, 1U);
  EXPECT_EQ(removed.bytes, 1000U);
  EXPECT_EQ(n_blobs(), 0U);
  ::close(told[0]);
  ::close(told[1]);
}

TEST_F(LeftoversTest, AnUploadInThisProcessStays) {
  const auto writer = make_blob_writer(store_, hex_);
  writer->write(std::string(10, 'x'));
  EXPECT_EQ(remove_leftovers(store_).n_files, 0U);
  EXPECT_EQ(n_blobs(), 1U);
}

TEST_F(LeftoversTest, HalfManifestsAndCheckpointsAreRemovedAndNothingElseIs) {
  const auto write = [](const fs::path& path) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "text";
    return path;
  };
  const fs::path manifest = write(store_ / "manifests/h/n/m/latest.partial-aB3xYz");
  const fs::path checkpoint = write(store_ / "checkpoints/abc.partial/config.json");
  const std::vector<fs::path> kept = {
      write(blobs_ / ("sha256-" + hex_)),
      write(blobs_ / ("sha256-" + hex_ + ".partial-")),
      write(blobs_ / ("sha256-" + hex_ + ".partial-12345")),
      write(blobs_ / "notes.partial-abcdef"),
      write(blobs_ / ("sha256-" + hex_ + ".partial-ab/def")),
      write(store_ / "manifests/h/n/m/latest"),
      write(store_ / "checkpoints/abc/config.json"),
      write(store_ / "sha256.partial-abcdef"),
  };
  fs::create_symlink(kept[0], blobs_ / ("sha256-" + hex_ + ".partial-abcdef"));
  EXPECT_GE(remove_leftovers(store_).n_files, 2U);
  EXPECT_FALSE(fs::exists(manifest));
  EXPECT_FALSE(fs::exists(checkpoint.parent_path()));
  for (const fs::path& path : kept) EXPECT_TRUE(fs::exists(path)) << path;
}

TEST_F(LeftoversTest, AStoreThatIsNotThereStaysSo) {
  EXPECT_EQ(remove_leftovers(root_ / "none").n_files, 0U);
  EXPECT_FALSE(fs::exists(root_ / "none"));
  EXPECT_EQ(remove_leftovers({}).n_files, 0U);
}

}  // namespace
}  // namespace pleiad::store
