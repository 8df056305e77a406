#include "store/gguf_file_name.h"

#include <gtest/gtest.h>

namespace pleiad::store {
namespace {

TEST(GgufFileName, SaysTheQuantization) {
  const auto quantization = [](const char* name) {
    return parse_gguf_file_name(name).quantization;
  };
  EXPECT_EQ(quantization("gemma-4-E2B-it-Q4_K_M.gguf"), "Q4_K_M");
  EXPECT_EQ(quantization("gemma-4-E2B-it-UD-Q4_K_XL.gguf"), "UD-Q4_K_XL");
  EXPECT_EQ(quantization("gemma.q8_0.gguf"), "Q8_0");
  EXPECT_EQ(quantization("gemma-IQ4_XS-00001-of-00002.gguf"), "IQ4_XS");
  EXPECT_EQ(quantization("gemma-BF16.gguf"), "BF16");
  EXPECT_EQ(quantization("gemma-4-E2B-it.gguf"), "");
  EXPECT_EQ(quantization("x.gguf"), "");
}

TEST(GgufFileName, TellsPartsAndEncodersFromModels) {
  const GgufFileName second = parse_gguf_file_name("x-Q4_0-00002-of-00003.gguf");
  EXPECT_EQ(second.part, 2);
  EXPECT_EQ(second.n_parts, 3);
  EXPECT_EQ(second.stem, "x-Q4_0");
  EXPECT_FALSE(second.is_model());
  EXPECT_TRUE(parse_gguf_file_name("x-00001-of-00003.gguf").is_model());
  EXPECT_FALSE(parse_gguf_file_name("mmproj-BF16.gguf").is_model());
  EXPECT_EQ(parse_gguf_file_name("x-0000a-of-00003.gguf").n_parts, 1);
  EXPECT_FALSE(is_gguf_file_name(".gguf"));
  EXPECT_FALSE(is_gguf_file_name("x.bin"));
}

}  // namespace
}  // namespace pleiad::store
