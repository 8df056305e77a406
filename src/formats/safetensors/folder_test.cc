#include "formats/safetensors/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace pleiad::safetensors {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SafetensorsFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("pleiad_safetensors_" + std::string(info->name()) + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A file with one tensor of four bytes.
  void write(const std::string& file, const std::string& tensor) {
    const std::string header =
        "{\"" + tensor + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    const std::uint64_t size = header.size();
    std::ofstream out(folder_ / file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&size), sizeof size);
    out << header << "data";
  }
  void write_index(const std::string& weight_map) {
    std::ofstream(folder_ / "model.safetensors.index.json")
        << R"({"metadata":{"total_size":8},"weight_map":)" << weight_map << '}';
  }
  std::string error() {
    try {
      (void)Folder::open(folder_);
    } catch (const LoadError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

TEST_F(SafetensorsFolder, ReadsASingleFile) {
  write("model.safetensors", "a");
  const Folder folder = Folder::open(folder_);
  EXPECT_NE(folder.find_tensor("a"), nullptr);
  EXPECT_EQ(folder.find_tensor("b"), nullptr);
}

TEST_F(SafetensorsFolder, ReadsAllShards) {
  write("x-1.safetensors", "a");
  write("x-2.safetensors", "b");
  write_index(R"({"a":"x-1.safetensors","b":"x-2.safetensors"})");
  Folder opened = Folder::open(folder_);
  const Folder folder = std::move(opened);
  EXPECT_EQ(folder.files().size(), 2U);
  EXPECT_NE(folder.find_tensor("a"), nullptr);
  EXPECT_NE(folder.find_tensor("b"), nullptr);
}

TEST_F(SafetensorsFolder, NamesMissingAndTruncatedShards) {
  write("x-1.safetensors", "a");
  fs::resize_file(folder_ / "x-1.safetensors", fs::file_size(folder_ / "x-1.safetensors") - 3);
  write_index(R"({"a":"x-1.safetensors","b":"x-2.safetensors"})");
  EXPECT_THAT(error(),
              AllOf(HasSubstr("2 problems"), HasSubstr("lists x-2.safetensors, which is missing"),
                    HasSubstr("x-1.safetensors: tensor data ends"),
                    HasSubstr("3 bytes are missing, the download is incomplete")));
}

TEST_F(SafetensorsFolder, SaysWhereATensorIsNotOrTwice) {
  write("x-1.safetensors", "a");
  write_index(R"({"b":"x-1.safetensors"})");
  EXPECT_THAT(error(), HasSubstr("tensor 'b' is in x-1.safetensors, but it is not there"));
  write("x-2.safetensors", "a");
  write_index(R"({"a":"x-1.safetensors","b":"x-2.safetensors"})");
  EXPECT_THAT(error(), HasSubstr("tensor 'a' is in two shards"));
}

TEST_F(SafetensorsFolder, SaysWhatAFolderWithoutModelLacks) {
  EXPECT_THAT(error(), HasSubstr("has neither model.safetensors nor"));
  write("model-00001-of-00002.safetensors", "a");
  EXPECT_THAT(error(), HasSubstr("has model-00001-of-00002.safetensors, but neither"));
}

TEST(ShardIndex, RefusesNamesThatLeaveTheFolder) {
  for (const std::string name :
       {"../x", "/etc/passwd", "a/../../x", "", ".", "..", "a//b/", "./a"}) {
    const std::string json = R"({"weight_map":{"a":")" + name + R"("}})";
    try {
      (void)parse_shard_index(json, "i.json");
      ADD_FAILURE() << name;
    } catch (const LoadError& error) {
      EXPECT_THAT(error.what(), HasSubstr("is not a file inside the folder")) << name;
    }
  }
  EXPECT_THAT(parse_shard_index(R"({"weight_map":{"a":"sub/x","b":"sub/x"}})", "i").shards,
              ElementsAre("sub/x"));
  EXPECT_THROW((void)parse_shard_index(R"({"weight_map":{"a":"x\u0000y"}})", "i"), LoadError);
}

TEST(ShardIndex, RefusesOtherJson) {
  for (const char* json :
       {"", "{", "[]", "{}", R"({"weight_map":[]})", R"({"weight_map":{"a":1}})"}) {
    EXPECT_THROW((void)parse_shard_index(json, "i.json"), LoadError) << json;
  }
}

}  // namespace
}  // namespace pleiad::safetensors
