// Links, which Windows lets nobody make without a right.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/testing/test_folder.h"
#include "convert/write_gguf.h"
#include "model/testing/same_model.h"

namespace pleiad::convert {
namespace {

namespace fs = std::filesystem;

TEST(WriteGgufThroughLinks, NeverWritesOverAFileOfTheFolderThatItReads) {
  const TestFolder folder;
  const fs::path source = folder / "e2b";
  fs::copy(testing_support::golden("e2b"), source);
  // As in the cache of a hub: a link to a file elsewhere.
  const fs::path blob = folder / "blob";
  fs::rename(source / "model.safetensors", blob);
  fs::create_symlink(blob, source / "model.safetensors");
  const std::uintmax_t size = fs::file_size(blob);
  const Checkpoint checkpoint = Checkpoint::open(source);
  WriteOptions options;
  options.mix.type = FileType::q8_0;
  options.n_threads = 2;
  for (const fs::path& path : {source / "model.safetensors", blob, source / "config.json"}) {
    EXPECT_THROW(write_gguf(checkpoint, path, options), Error) << path;
  }
  EXPECT_EQ(fs::file_size(blob), size);
}

}  // namespace
}  // namespace pleiad::convert
