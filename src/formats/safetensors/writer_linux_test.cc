#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <span>
#include <string>

#include "base/error.h"
#include "base/testing/test_folder.h"
#include "formats/safetensors/writer.h"

namespace pleiad::safetensors {
namespace {

TEST(SafetensorsWriter, AFullDiskIsTold) {
  const TestFolder folder;
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before = {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  {
    Writer writer(folder / "a", {{"x", "U8", {100'000}}});
    const rlimit limit = {50'000, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string data(100'000, 'x');
    EXPECT_THROW(writer.write(0, std::as_bytes(std::span(data))), Error);
    ::setrlimit(RLIMIT_FSIZE, &before);
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

}  // namespace
}  // namespace pleiad::safetensors
