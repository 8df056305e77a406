#include "synthetic/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace pleiad::synthetic {
namespace {

std::string message_of(std::string_view text) {
  try {
    parse_spec(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Spec, NamesModelAndType) {
  const Spec spec = parse_spec("e4b:q4_0");
  EXPECT_EQ(spec.model->key, "e4b");
  EXPECT_EQ(spec.type, DType::q4_0);
  EXPECT_EQ(to_string(spec), "e4b:q4_0");
}

TEST(Spec, HasTheOtherTypesOfFilesOfThatName) {
  for (const char* text : {"e2b:q4_0", "e2b:q4_k", "e2b:q5_k", "e2b:q6_k"}) {
    const Spec spec = parse_spec(text);
    EXPECT_EQ(spec.head, DType::q6_k) << text;
    EXPECT_EQ(spec.per_layer_table, DType::q8_0) << text;
    EXPECT_EQ(spec.per_layer_gates, DType::q8_0) << text;
  }
  for (const char* text : {"e2b:bf16", "e2b:f16", "e2b:q8_0"}) {
    const Spec spec = parse_spec(text);
    EXPECT_EQ(spec.head, spec.type) << text;
    EXPECT_EQ(spec.per_layer_table, spec.type) << text;
    EXPECT_EQ(spec.per_layer_gates, spec.type) << text;
  }
  EXPECT_EQ(parse_spec("e2b:nvfp4").head, DType::bf16);
  EXPECT_EQ(parse_spec("e2b:nvfp4").per_layer_gates, DType::bf16);
}

TEST(Spec, SaysWhatThereIs) {
  EXPECT_EQ(message_of("e3b:q4_0"),
            "model: expected one of e2b, e4b, 12b, 26b-a4b, 31b, found 'e3b'");
  EXPECT_EQ(message_of("e2b:q3_k"),
            "type: expected one of bf16, f16, q8_0, q4_0, q4_k, q5_k, q6_k, nvfp4, found 'q3_k'");
  EXPECT_THAT(message_of("e2b"), ::testing::HasSubstr("expected MODEL:TYPE as in e4b:q4_0"));
  EXPECT_THAT(message_of("e2b:f32"), ::testing::HasSubstr("found 'f32'"));
  EXPECT_THAT(message_of("e2b:"), ::testing::HasSubstr("found ''"));
}

}  // namespace
}  // namespace pleiad::synthetic
