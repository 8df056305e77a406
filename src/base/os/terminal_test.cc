#include "base/os/terminal.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>

#include "base/os/file.h"
#include "base/testing/test_folder.h"

namespace pleiad::os {
namespace {

TEST(Terminal, AFileIsNone) {
  const TestFolder folder;
  const std::string path = (folder / "text").string();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                             std::fclose);
  ASSERT_TRUE(file);
  EXPECT_FALSE(is_terminal(file.get()));
  EXPECT_EQ(terminal_size(file.get()).columns, 0);
  EXPECT_EQ(terminal_size(file.get()).rows, 0);
}

TEST(Terminal, TheDescriptorIsThatOfTheFile) {
  const TestFolder folder;
  const std::string path = (folder / "text").string();
  std::FILE* file = std::fopen(path.c_str(), "wb");
  ASSERT_TRUE(file);
  const std::string text = "one\ntwo\n";
  EXPECT_TRUE(write(descriptor_of(file), std::as_bytes(std::span(text))));
  std::fclose(file);
  std::ifstream written(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(written), {}), text);
}

}  // namespace
}  // namespace pleiad::os
