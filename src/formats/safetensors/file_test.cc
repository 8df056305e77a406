#include "formats/safetensors/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"

namespace pleiad::safetensors {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string file_of(const std::string& header, std::size_t data_size) {
  const std::uint64_t size = header.size();
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += header;
  bytes.append(data_size, '\1');
  return bytes;
}

std::string safetensors_error(const std::string& bytes) {
  try {
    (void)File::from_bytes(std::as_bytes(std::span(bytes)), "m.safetensors");
  } catch (const LoadError& error) {
    return error.what();
  }
  return "no error";
}

std::string safetensors_error(const std::string& header, std::size_t data_size) {
  return safetensors_error(file_of(header, data_size));
}

std::string tensor(const std::string& name, const std::string& type, const std::string& shape,
                   const std::string& offsets) {
  return '"' + name + R"(":{"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" +
         offsets + '}';
}

TEST(Safetensors, ShowsTheTensorsOfAFile) {
  const std::string bytes = file_of(
      "{\"__metadata__\":{\"format\":\"pt\"}," + tensor("b", "F32", "[2,3]", "[4,28]") + ',' +
          tensor("a", "BF16", "[]", "[0,2]") + ',' + tensor("c", "I64", "[1]", "[28,36]") + "}  ",
      36);
  const File file = File::from_bytes(std::as_bytes(std::span(bytes)), "m");
  ASSERT_EQ(file.tensors().size(), 3U);
  const TensorInfo* b = file.find_tensor("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->dtype, DType::f32);
  EXPECT_EQ(b->shape, (Shape{2, 3}));
  EXPECT_EQ(b->data.size(), 24U);
  EXPECT_EQ(reinterpret_cast<const char*>(b->data.data()), bytes.data() + bytes.size() - 32);
  EXPECT_EQ(file.find_tensor("a")->shape, Shape{});
  EXPECT_EQ(file.find_tensor("c")->dtype, std::nullopt) << "known, not decodable";
  EXPECT_EQ(file.find_tensor("c")->type, "I64");
  EXPECT_EQ(file.find_tensor("bb"), nullptr);
}

TEST(Safetensors, ATypeOfAnotherNameIsNoErrorYet) {
  const std::string bytes = file_of("{" + tensor("a", "Q7_X", "[5]", "[0,3]") + "}", 3);
  const File file = File::from_bytes(std::as_bytes(std::span(bytes)), "m");
  EXPECT_EQ(file.find_tensor("a")->type, "Q7_X");
  EXPECT_EQ(file.find_tensor("a")->dtype, std::nullopt);
}

TEST(Safetensors, RefusesFilesThatEndTooEarly) {
  EXPECT_EQ(safetensors_error(""), "m.safetensors: the file is empty (0 bytes)");
  EXPECT_THAT(safetensors_error("1234567"), HasSubstr("7 bytes are too few"));
  const std::string good = file_of("{" + tensor("a", "F32", "[2]", "[0,8]") + "}", 8);
  ASSERT_EQ(safetensors_error(good), "no error");
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(safetensors_error(good.substr(0, size)), "no error") << size;
  }
  EXPECT_THAT(
      safetensors_error(good.substr(0, good.size() - 3)),
      AllOf(HasSubstr("('a')"), HasSubstr("3 bytes are missing, the download is incomplete")));
  EXPECT_THAT(safetensors_error(good.substr(0, 20)), HasSubstr("the header ends at byte"));
}

TEST(Safetensors, RefusesAHugeHeader) {
  std::string bytes(100, ' ');
  const std::uint64_t size = UINT64_MAX - 7;
  std::memcpy(bytes.data(), &size, sizeof size);
  EXPECT_THAT(safetensors_error(bytes), HasSubstr("the limit is 100000000"));
}

TEST(Safetensors, RefusesWhatIsNoModel) {
  EXPECT_THAT(safetensors_error("version https://git-lfs.github.com/spec/v1\noid sha256:1\n"),
              HasSubstr("Git LFS pointer"));
}

TEST(Safetensors, RefusesAHeaderThatIsNotAnObject) {
  EXPECT_THAT(safetensors_error("", 8), HasSubstr("not valid JSON"));
  EXPECT_THAT(safetensors_error("{\"a\":", 0), HasSubstr("not valid JSON"));
  EXPECT_THAT(safetensors_error("[1]", 0), HasSubstr("not a JSON object"));
  EXPECT_THAT(safetensors_error("{\"a\":\"\xff\"}", 0), HasSubstr("not valid JSON"));
  std::string deep = "{\"a\":";
  deep.append(5000, '[').append(5000, ']').append("}");
  EXPECT_THAT(safetensors_error(deep, 0), HasSubstr("not valid JSON"));
}

TEST(Safetensors, RefusesEntriesOfAWrongForm) {
  EXPECT_THAT(safetensors_error("{\"a\":1}", 0), HasSubstr("tensor 'a': expected an object"));
  EXPECT_THAT(safetensors_error("{\"a\":{}}", 0), HasSubstr("field 'dtype': expected to be there"));
  EXPECT_THAT(safetensors_error(R"({"a":{"dtype":"F32","shape":[1]}})", 0),
              HasSubstr("field 'data_offsets': expected to be there"));
  EXPECT_THAT(safetensors_error(R"({"a":{"dtype":1,"shape":[],"data_offsets":[0,4]}})", 4),
              HasSubstr("field 'dtype': expected a string"));
  EXPECT_THAT(safetensors_error("{" + tensor("a", "F32", "[-1]", "[0,4]") + "}", 4),
              HasSubstr("field 'shape': expected whole numbers"));
  EXPECT_THAT(safetensors_error("{" + tensor("a", "F32", "[1.0]", "[0,4]") + "}", 4),
              HasSubstr("field 'shape': expected whole numbers"));
  EXPECT_THAT(safetensors_error("{" + tensor("a", "F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]") + "}", 4),
              HasSubstr("at most 8 numbers"));
  EXPECT_THAT(safetensors_error("{" + tensor("a", "F32", "[1]", "[0]") + "}", 4),
              HasSubstr("field 'data_offsets'"));
  EXPECT_THAT(safetensors_error("{" + tensor("a", "F32", "[1]", "[8,4]") + "}", 8),
              HasSubstr("an end that is not smaller"));
  EXPECT_THAT(safetensors_error("{" + tensor("", "F32", "[1]", "[0,4]") + "}", 4),
              HasSubstr("a tensor name has 0 bytes"));
  EXPECT_THAT(safetensors_error(
                  R"({"a":{"dtype":"F32","dtype":"F16","shape":[1],"data_offsets":[0,4]}})", 4),
              HasSubstr("field 'dtype': expected to appear once"));
}

TEST(Safetensors, RefusesDuplicateNames) {
  EXPECT_THAT(safetensors_error("{" + tensor("a", "U8", "[1]", "[0,1]") + ',' +
                                    tensor("a", "U8", "[1]", "[1,2]") + "}",
                                2),
              HasSubstr("tensor 'a' is listed twice"));
}

TEST(Safetensors, RefusesSizesThatDoNotMatchTheShape) {
  EXPECT_THAT(safetensors_error("{" + tensor("a", "F32", "[2,3]", "[0,20]") + "}", 20),
              HasSubstr("F32 [2, 3] takes 24 bytes, but data_offsets [0, 20] hold 20"));
  EXPECT_THAT(safetensors_error("{" + tensor("a", "F32", "[0]", "[0,0]") + "}", 0),
              HasSubstr("shape [0] has a dimension below 1"));
  EXPECT_THAT(
      safetensors_error("{" + tensor("a", "F64", "[4611686018427387904,4]", "[0,0]") + "}", 0),
      HasSubstr("too many elements"));
  EXPECT_THAT(
      safetensors_error("{" + tensor("a", "F64", "[4611686018427387904]", "[0,0]") + "}", 0),
      HasSubstr("takes too many bytes"));
}

TEST(Safetensors, RefusesOffsetsOutsideTheFileAndOverlaps) {
  EXPECT_THAT(
      safetensors_error(
          "{" + tensor("a", "U8", "[4]", "[9223372036854775803,9223372036854775807]") + "}", 4),
      HasSubstr("bytes are missing"));
  EXPECT_THAT(safetensors_error("{" + tensor("a", "U8", "[4]", "[0,4]") + ',' +
                                    tensor("b", "U8", "[4]", "[3,7]") + "}",
                                7),
              HasSubstr("tensors 'a' and 'b' overlap"));
}

}  // namespace
}  // namespace pleiad::safetensors
