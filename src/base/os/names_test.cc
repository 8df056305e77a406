#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/testing/test_folder.h"

namespace pleiad::os {
namespace {

namespace fs = std::filesystem;

const std::string kName = "Gr\u00fc\u00dfe \u4f60\u597d \U0001f642";

TEST(Names, AreUtf8InTextsOnEverySystem) {
  const TestFolder folder;
  const fs::path path = folder / kName;
  EXPECT_EQ(path.filename().string(), kName);
  EXPECT_TRUE(path.filename().u8string() == reinterpret_cast<const char8_t*>(kName.c_str()));
  OutputFile file(path);
  file.write(std::as_bytes(std::span(kName)));
  file.finish();
  // As the system lists it, and as it finds it again.
  const fs::directory_entry listed = *fs::directory_iterator(folder.path());
  EXPECT_EQ(listed.path().filename().string(), kName);
  EXPECT_EQ(MappedFile(fs::path(path.string())).bytes().size(), kName.size());
}

}  // namespace
}  // namespace pleiad::os
