#include "base/os/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace pleiad::os {
namespace {

namespace fs = std::filesystem;

bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c < 128; });
}

TEST(Program, EveryVariableIsTheStandardLibrarys) {
  int n_compared = 0;
  for (const auto& [name, value] : variables()) {
    // In Windows's narrow texts all else depends on the machine's code page; an empty one is none.
    if (value.empty() || !is_ascii(name + value)) continue;
    const char* wanted = std::getenv(name.c_str());
    ASSERT_TRUE(wanted) << name;
    EXPECT_EQ(value, wanted) << name;
    ++n_compared;
  }
  EXPECT_GT(n_compared, 0);
}

TEST(Program, TheExecutableIsThisTest) {
  EXPECT_EQ(executable().stem().string(), "base_test");
  EXPECT_TRUE(fs::is_regular_file(executable()));
}

TEST(Program, TheFirstWordIsTheProgramsName) {
  std::string name = "base_test", flag = "--flag";
  char* words[] = {name.data(), flag.data(), nullptr};
  const std::vector<std::string> found = arguments(2, words);
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found.front(), ::testing::HasSubstr("base_test"));
}

}  // namespace
}  // namespace pleiad::os
