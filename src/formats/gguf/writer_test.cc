#include "formats/gguf/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "formats/gguf/reader.h"

namespace pleiad::gguf {
namespace {

namespace fs = std::filesystem;

class GgufWriter : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("pleiad_writer_" + std::string(info->name()) + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t files_left() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(GgufWriter, TakesDataInPiecesOfAnySize) {
  std::vector<std::byte> all;
  for (int i = 0; i < 34 * 3 + 4 * 5 + 2 * 7; ++i) all.push_back(static_cast<std::byte>(i));
  for (const std::size_t piece : {1UL, 7UL, 34UL, 1000UL}) {
    const fs::path path = folder_ / fmt::format("{}.gguf", piece);
    {
      Writer writer(path);
      writer.add_tensor("a", DType::q8_0, {3, 32});
      writer.add_tensor("b", DType::f32, {5});
      writer.add_tensor("c", DType::bf16, {7, 1});
      for (std::size_t done = 0; done < all.size(); done += piece) {
        writer.write(std::span(all).subspan(done, std::min(piece, all.size() - done)));
      }
      writer.finish();
    }
    const File file = File::open(path);
    std::size_t place = 0;
    for (const char* name : {"a", "b", "c"}) {
      const auto data = file.find_tensor(name)->data;
      EXPECT_TRUE(std::ranges::equal(data, std::span(all).subspan(place, data.size()))) << name;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data.data()) % 32, 0U) << name;
      place += data.size();
    }
    EXPECT_EQ(place, all.size());
  }
}

TEST_F(GgufWriter, LeavesATensorOfZeros) {
  const fs::path path = folder_ / "a.gguf";
  const std::vector<std::byte> ones(40, std::byte{1});
  {
    Writer writer(path);
    writer.set_u32("key", 1);
    writer.add_tensor("before", DType::bf16, {20});
    writer.add_tensor("zeros", DType::q8_0, {3, 32});
    writer.add_tensor("after", DType::bf16, {20});
    const std::uint64_t size = writer.file_size();
    writer.write(ones);
    EXPECT_THROW(writer.write_zeros(101), InternalError) << "part of a tensor";
    writer.write_zeros(102);
    writer.write(ones);
    writer.finish();
    EXPECT_EQ(fs::file_size(path), size);
  }
  const File file = File::open(path);
  EXPECT_TRUE(std::ranges::equal(file.find_tensor("before")->data, ones));
  EXPECT_TRUE(std::ranges::equal(file.find_tensor("after")->data, ones));
  EXPECT_THAT(file.find_tensor("zeros")->data, ::testing::Each(std::byte{0}));
}

TEST_F(GgufWriter, LeavesNothingBehindWithoutFinish) {
  {
    Writer writer(folder_ / "a.gguf");
    writer.set_u32("key", 1);
    writer.add_tensor("a", DType::f32, {5});
    writer.write(std::vector<std::byte>(8));
    EXPECT_EQ(files_left(), 1U) << "the temporary file";
  }
  EXPECT_EQ(files_left(), 0U);
}

TEST_F(GgufWriter, KeepsTheOldFileUntilTheNewOneIsComplete) {
  std::ofstream(folder_ / "a.gguf") << "old";
  {
    Writer writer(folder_ / "a.gguf");
    writer.set_u32("key", 1);
    EXPECT_EQ(fs::file_size(folder_ / "a.gguf"), 3U);
    writer.finish();
  }
  EXPECT_EQ(File::open(folder_ / "a.gguf").metadata().find_integer("key"), 1);
  EXPECT_EQ(files_left(), 1U);
}

TEST_F(GgufWriter, CopiesAnyValueOfAnotherFile) {
  {
    Writer writer(folder_ / "a.gguf");
    writer.set_string("text", "abc");
    writer.set_strings("strings", std::vector<std::string_view>{"a", "bb"});
    writer.set_booleans("booleans", {true, false});
    writer.set_f32("float", 0.25F);
    writer.finish();
  }
  const File source = File::open(folder_ / "a.gguf");
  {
    Writer writer(folder_ / "b.gguf");
    for (const auto& [key, value] : source.metadata().values()) writer.set_value(key, value);
    writer.finish();
  }
  const File copy = File::open(folder_ / "b.gguf");
  EXPECT_EQ(copy.metadata().find_string("text"), "abc");
  EXPECT_THAT(copy.metadata().find_strings("strings").value(), ::testing::ElementsAre("a", "bb"));
  EXPECT_THAT(copy.metadata().find_booleans("booleans").value(),
              ::testing::ElementsAre(true, false));
  EXPECT_EQ(copy.metadata().find_float("float"), 0.25);
}

TEST_F(GgufWriter, RefusesWhatItsCallerShouldKnow) {
  Writer writer(folder_ / "a.gguf");
  writer.set_u32("key", 1);
  EXPECT_THROW(writer.set_u32("key", 2), InternalError) << "twice";
  EXPECT_THROW(writer.set_u32("", 2), InternalError);
  EXPECT_THROW(writer.add_tensor("a", DType::f8_e4m3, {32}), InternalError) << "not in GGUF";
  EXPECT_THROW(writer.add_tensor("a", DType::q4_0, {3, 33}), InternalError);
  writer.add_tensor("a", DType::f32, {2});
  EXPECT_THROW(writer.finish(), InternalError) << "data is missing";
  EXPECT_THROW(writer.write(std::vector<std::byte>(9)), InternalError) << "too much data";
}

TEST_F(GgufWriter, NamesAFolderThatDoesNotExist) {
  try {
    Writer writer(folder_ / "absent" / "a.gguf");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("No such file or directory"));
  }
}

}  // namespace
}  // namespace pleiad::gguf
