#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "base/error.h"
#include "base/testing/test_folder.h"
#include "convert/write_folder.h"
#include "convert/write_gguf.h"
#include "model/testing/same_model.h"

namespace pleiad::convert {
namespace {

using testing::HasSubstr;
using testing_support::golden;

TEST(FullDisk, IsSaidOfAFile) {
  WriteOptions options;
  options.mix.type = FileType::q8_0;
  options.rounding = quantize::Rounding::nearest;
  options.n_threads = 2;
  try {
    write_gguf(Checkpoint::open(golden("e2b")), "/dev/full", options);
    FAIL() << "nothing was said";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/dev/full"));
  }
}

TEST(FullDisk, LeavesNothingOfAFolder) {
  const TestFolder root;
  WriteOptions options;
  options.mix.type = FileType::fp8;
  options.n_threads = 2;
  const Checkpoint source = Checkpoint::open(golden("e4b"));
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before = {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit = {30'000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_THROW(write_folder(source, root / "out", options), Error);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(std::filesystem::is_empty(root));
}

}  // namespace
}  // namespace pleiad::convert
