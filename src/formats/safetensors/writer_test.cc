#include "formats/safetensors/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "formats/safetensors/folder.h"

namespace pleiad::safetensors {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class SafetensorsWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("pleiad_st_writer_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  template <typename AnyWriter>
  static void put(AnyWriter& writer, std::size_t index, std::string_view text) {
    writer.write(index, std::as_bytes(std::span(text)));
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      found.push_back(entry.path().filename().string());
    }
    std::ranges::sort(found);
    return found;
  }
  fs::path folder_;
};

TEST_F(SafetensorsWriterTest, OurReaderFindsWhatWasWrittenInAnyOrder) {
  Writer writer(folder_ / "a",
                {{"bytes", "U8", {3}}, {"say \"ä\"", "BF16", {2, 1}}, {"scalar", "F32", {}}});
  put(writer, 2, "four");
  put(writer, 0, "x");
  put(writer, 1, "abcd");
  put(writer, 0, "yz");
  writer.finish();
  EXPECT_EQ(fs::file_size(folder_ / "a"), writer.file_size());

  const File file = File::open(folder_ / "a");
  ASSERT_EQ(file.tensors().size(), 3U);
  EXPECT_EQ(text_of(file.find_tensor("bytes")->data), "xyz");
  const TensorInfo* tensor = file.find_tensor("say \"ä\"");
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(text_of(tensor->data), "abcd");
  EXPECT_EQ(tensor->type, "BF16");
  EXPECT_EQ(tensor->shape, (Shape{2, 1}));
  EXPECT_EQ(file.find_tensor("scalar")->shape, Shape{});
  EXPECT_EQ(text_of(file.find_tensor("scalar")->data), "four");
}

TEST_F(SafetensorsWriterTest, WideElementsComeFirstSoThatAllAreAligned) {
  Writer writer(folder_ / "a", {{"a", "U8", {3}}, {"b", "BF16", {1}}, {"c", "F32", {1}}});
  put(writer, 0, "abc");
  put(writer, 1, "de");
  put(writer, 2, "fghi");
  writer.finish();
  std::ostringstream text;
  text << std::ifstream(folder_ / "a").rdbuf();
  const std::string bytes = text.str();
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(header % 8, 0U);
  EXPECT_EQ(bytes.substr(8 + header), "fghideabc");
}

TEST_F(SafetensorsWriterTest, UnfinishedLeavesNothing) {
  { const Writer writer(folder_ / "a", {{"x", "U8", {3}}}); }
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(SafetensorsWriterTest, AFolderOfOneFileHasNoIndex) {
  FolderWriter writer(folder_, {{"a", "U8", {2}}});
  put(writer, 0, "ab");
  writer.finish();
  EXPECT_THAT(names(), ElementsAre("model.safetensors"));
}

TEST_F(SafetensorsWriterTest, ShardsAreFilledInOrderAndIndexed) {
  FolderWriter writer(
      folder_, {{"a", "U8", {4}}, {"b", "U8", {4}}, {"large", "U8", {11}}, {"c", "U8", {10}}}, 10);
  put(writer, 0, "aaaa");
  put(writer, 1, "bbbb");
  put(writer, 2, "lllllllllll");
  put(writer, 3, "cccccccccc");
  writer.finish();
  EXPECT_THAT(names(),
              ElementsAre("model-00001-of-00003.safetensors", "model-00002-of-00003.safetensors",
                          "model-00003-of-00003.safetensors", "model.safetensors.index.json"));
  const Folder folder = Folder::open(folder_);
  EXPECT_EQ(folder.files()[0].tensors().size(), 2U);
  EXPECT_EQ(text_of(folder.find_tensor("b")->data), "bbbb");
  EXPECT_EQ(text_of(folder.find_tensor("large")->data), "lllllllllll");
  EXPECT_EQ(text_of(folder.find_tensor("c")->data), "cccccccccc");
}

}  // namespace
}  // namespace pleiad::safetensors
