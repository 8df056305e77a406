#include "formats/gguf/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "formats/gguf/ggml_types.h"
#include "formats/gguf/writer.h"

namespace pleiad::gguf {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GgufReader : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("pleiad_gguf_" + std::string(info->name()) + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string error_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const LoadError& error) {
      return error.what();
    }
    return "no error";
  }
  std::string open_error(const fs::path& path) {
    return error_of([&] { (void)File::open(path); });
  }

  /// Part `number` of a model of `count` parts with one tensor each.
  void write_part(int number, int count, int claimed_number, int n_tensors = 3) {
    Writer writer(folder_ / fmt::format("m-{:05}-of-{:05}.gguf", number, count));
    writer.set_u32("split.no", static_cast<std::uint32_t>(claimed_number - 1));
    writer.set_u32("split.count", static_cast<std::uint32_t>(count));
    writer.set_i32("split.tensors.count", n_tensors);
    if (number == 1) writer.set_string("general.architecture", "gemma4");
    writer.add_tensor(fmt::format("t{}", number), DType::f32, {1});
    const float value = static_cast<float>(number);
    writer.write(std::as_bytes(std::span(&value, 1)));
    writer.finish();
  }

  fs::path folder_;
};

TEST_F(GgufReader, ReadsBackEveryKindOfMetadata) {
  {
    Writer writer(folder_ / "a.gguf");
    writer.set_u32("u32", 7);
    writer.set_i32("i32", -7);
    writer.set_u64("u64", UINT64_MAX);
    writer.set_f32("f32", 0.5F);
    writer.set_boolean("yes", true);
    writer.set_boolean("no", false);
    writer.set_string("text", "ein Text\n");
    writer.set_string("empty", "");
    writer.set_i32s("i32s", std::vector<std::int32_t>{1, -2, 3});
    writer.set_f32s("f32s", std::vector<float>{1.5F, -2.5F});
    writer.set_booleans("booleans", {true, false, true});
    writer.set_strings("strings", std::vector<std::string_view>{"a", "", "ccc"});
    writer.set_strings("no strings", {});
    writer.finish();
  }
  const File file = File::open(folder_ / "a.gguf");
  const Metadata& metadata = file.metadata();
  EXPECT_EQ(file.version(), 3U);
  EXPECT_EQ(metadata.find_integer("u32"), 7);
  EXPECT_EQ(metadata.find_integer("i32"), -7);
  EXPECT_EQ(metadata.find_float("f32"), 0.5);
  EXPECT_EQ(metadata.find_boolean("yes"), true);
  EXPECT_EQ(metadata.find_boolean("no"), false);
  EXPECT_EQ(metadata.find_string("text"), "ein Text\n");
  EXPECT_EQ(metadata.find_string("empty"), "");
  EXPECT_THAT(metadata.find_integers("i32s").value(), ElementsAre(1, -2, 3));
  EXPECT_THAT(metadata.find_floats("f32s").value(), ElementsAre(1.5F, -2.5F));
  EXPECT_THAT(metadata.find_booleans("booleans").value(), ElementsAre(true, false, true));
  EXPECT_THAT(metadata.find_strings("strings").value(), ElementsAre("a", "", "ccc"));
  EXPECT_TRUE(metadata.find_strings("no strings").value().empty());
}

TEST_F(GgufReader, TellsAnAbsentKeyFromOneOfAnotherType) {
  {
    Writer writer(folder_ / "a.gguf");
    writer.set_string("text", "7");
    writer.set_u64("huge", UINT64_MAX);
    writer.set_i32s("list", std::vector<std::int32_t>{1, 2});
    writer.set_f32("float", 2.0F);
    writer.finish();
  }
  const File file = File::open(folder_ / "a.gguf");
  const Metadata& metadata = file.metadata();
  EXPECT_EQ(metadata.find_integer("absent"), std::nullopt);
  EXPECT_EQ(metadata.find_strings("absent"), std::nullopt);
  EXPECT_THAT(error_of([&] { (void)metadata.find_integer("text"); }),
              HasSubstr("a.gguf: metadata key 'text': expected integer, found string"));
  EXPECT_THAT(error_of([&] { (void)metadata.find_integer("list"); }),
              HasSubstr("expected integer, found array of 2 i32"));
  EXPECT_THAT(error_of([&] { (void)metadata.find_strings("list"); }),
              HasSubstr("expected array of string, found array of 2 i32"));
  EXPECT_THAT(error_of([&] { (void)metadata.find_integers("text"); }),
              HasSubstr("expected array of integer, found string"));
  EXPECT_THAT(error_of([&] { (void)metadata.find_integer("float"); }),
              HasSubstr("expected integer, found f32"));
  EXPECT_THAT(error_of([&] { (void)metadata.find_integer("huge"); }), HasSubstr("is too large"));
}

TEST_F(GgufReader, ListsTensorsOutermostDimensionFirst) {
  std::vector<float> values(3 * 5 * 7);
  std::iota(values.begin(), values.end(), 0.0F);
  {
    Writer writer(folder_ / "a.gguf");
    writer.add_tensor("t", DType::f32, {3, 5, 7});
    writer.write(std::as_bytes(std::span(values)));
    writer.finish();
  }
  const File file = File::open(folder_ / "a.gguf");
  const TensorInfo* tensor = file.find_tensor("t");
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->shape, (Shape{3, 5, 7}));
  EXPECT_EQ(tensor->dtype, DType::f32);
  ASSERT_EQ(tensor->data.size(), values.size() * sizeof(float));
  EXPECT_EQ(std::memcmp(tensor->data.data(), values.data(), tensor->data.size()), 0);
  EXPECT_EQ(file.find_tensor("u"), nullptr);
}

TEST_F(GgufReader, ATypeThatCannotBeDecodedIsNoErrorYet) {
  const std::vector<std::byte> block(136);
  {
    Writer writer(folder_ / "a.gguf");
    writer.add_tensor("t", 23, {256});
    writer.write(block);
    writer.finish();
  }
  const File file = File::open(folder_ / "a.gguf");
  EXPECT_EQ(file.find_tensor("t")->dtype, std::nullopt);
  EXPECT_EQ(ggml_type_name(file.find_tensor("t")->ggml_type), "iq4_xs");
  EXPECT_EQ(ggml_type_name(777), "type 777");
}

TEST_F(GgufReader, SurvivesAMove) {
  {
    Writer writer(folder_ / "a.gguf");
    writer.set_string("key", "value");
    writer.add_tensor("t", DType::f32, {1});
    const float value = 3.0F;
    writer.write(std::as_bytes(std::span(&value, 1)));
    writer.finish();
  }
  File file = File::open(folder_ / "a.gguf");
  const File moved = std::move(file);
  EXPECT_EQ(moved.metadata().find_string("key"), "value");
  EXPECT_EQ(moved.find_tensor("t")->data.size(), 4U);
}

TEST_F(GgufReader, FindsAllPartsOfASplitModelFromAnyOfThem) {
  for (int number = 1; number <= 3; ++number) write_part(number, 3, number);
  for (int number = 1; number <= 3; ++number) {
    const File file = File::open(folder_ / fmt::format("m-{:05}-of-00003.gguf", number));
    EXPECT_EQ(file.tensors().size(), 3U);
    EXPECT_EQ(file.metadata().find_string("general.architecture"), "gemma4");
    float value = 0;
    std::memcpy(&value, file.find_tensor("t3")->data.data(), sizeof value);
    EXPECT_EQ(value, 3.0F);
  }
}

TEST_F(GgufReader, NamesTheMissingPartsOfASplitModel) {
  write_part(2, 3, 2);
  EXPECT_THAT(
      open_error(folder_ / "m-00002-of-00003.gguf"),
      AllOf(HasSubstr("the model has 3 files"), HasSubstr("m-00001-of-00003.gguf is missing"),
            HasSubstr("m-00003-of-00003.gguf is missing")));
}

TEST_F(GgufReader, RefusesPartsThatDoNotBelongTogether) {
  write_part(1, 2, 1, 2);
  write_part(2, 2, 1, 2);
  EXPECT_THAT(open_error(folder_ / "m-00001-of-00002.gguf"),
              HasSubstr("expected part 2 of 2, found part 1 of 2"));
  write_part(2, 2, 2, 2);
  EXPECT_EQ(open_error(folder_ / "m-00001-of-00002.gguf"), "no error");
  write_part(1, 2, 1, 5);
  EXPECT_THAT(open_error(folder_ / "m-00001-of-00002.gguf"), HasSubstr("expected 5 tensors"));
  fs::rename(folder_ / "m-00001-of-00002.gguf", folder_ / "renamed.gguf");
  EXPECT_THAT(open_error(folder_ / "renamed.gguf"),
              HasSubstr("must be called <name>-00001-of-00002.gguf"));
}

TEST_F(GgufReader, NamesATruncatedPart) {
  for (int number = 1; number <= 2; ++number) write_part(number, 2, number, 2);
  fs::resize_file(folder_ / "m-00002-of-00002.gguf",
                  fs::file_size(folder_ / "m-00002-of-00002.gguf") - 30);
  EXPECT_THAT(open_error(folder_ / "m-00001-of-00002.gguf"),
              AllOf(HasSubstr("m-00002-of-00002.gguf: "), HasSubstr("the download is incomplete")));
}

}  // namespace
}  // namespace pleiad::gguf
