#include <gmock/gmock.h>

#include "base/mapped_file_testing.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST_F(MappedFileTest, ShowsTheBytesAndSurvivesAMove) {
  std::ofstream(folder_ / "a") << "hello";
  MappedFile file(folder_ / "a");
  MappedFile moved(std::move(file));
  ASSERT_EQ(moved.bytes().size(), 5U);
  EXPECT_EQ(static_cast<char>(moved.bytes()[4]), 'o');
}

TEST_F(MappedFileTest, AnEmptyFileIsEmpty) {
  std::ofstream(folder_ / "empty").flush();
  EXPECT_TRUE(MappedFile(folder_ / "empty").bytes().empty());
}

TEST_F(MappedFileTest, SaysWhatIsWrongWithThePath) {
  EXPECT_THAT(error_of(folder_ / "missing"), HasSubstr("No such file"));
  EXPECT_THAT(error_of(folder_), HasSubstr("found a folder"));
}

TEST_F(MappedFileTest, PagesMayBeRequestedAtAnyPlace) {
  const std::string text(10'000, 'x');
  std::ofstream(folder_ / "pages") << text;
  MappedFile file(folder_ / "pages");
  const auto bytes = file.bytes();
  for (const auto part : {bytes, bytes.first(1), bytes.last(1), bytes.subspan(4095, 2),
                          bytes.subspan(5000, 3000), bytes.first(0)}) {
    request_pages(part);
  }
  EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{'x'}; }));
}

TEST_F(MappedFileTest, AFileOfTheSameSizeThatIsWrittenOverItHasChanged) {
  const MappedFile file = pages("same");
  overwrite("same", std::string(64 * 4096, 'y'));
  EXPECT_THAT(change_of(file), HasSubstr("it was written to"));
}

TEST_F(MappedFileTest, AFileThatGrewHasChanged) {
  const MappedFile file = pages("grows");
  std::ofstream(folder_ / "grows", std::ios::app) << "more";
  EXPECT_THAT(change_of(file), HasSubstr("it has 262148 bytes now, and had 262144"));
}

TEST_F(MappedFileTest, WhatIsUndoneLaterIsNoChangeEither) {
  const MappedFile linked = pages("linked");
  fs::create_hard_link(folder_ / "linked", folder_ / "backup");
  EXPECT_EQ(change_of(linked), "no change");
  wait_for_a_tick();
  fs::remove(folder_ / "backup");
  EXPECT_EQ(change_of(linked), "no change");
  const MappedFile mode = pages("mode");
  fs::permissions(folder_ / "mode", fs::perms::owner_read);
  EXPECT_EQ(change_of(mode), "no change");
  wait_for_a_tick();
  fs::permissions(folder_ / "mode", fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(change_of(mode), "no change");
  const MappedFile moved = pages("here");
  fs::rename(folder_ / "here", folder_ / "there");
  EXPECT_EQ(change_of(moved), "no change");
  wait_for_a_tick();
  fs::rename(folder_ / "there", folder_ / "here");
  EXPECT_EQ(change_of(moved), "no change");
  overwrite("here", std::string(64 * 4096, 'y'));
  EXPECT_THAT(change_of(moved), HasSubstr("it was written to"));
}

}  // namespace
}  // namespace pleiad
