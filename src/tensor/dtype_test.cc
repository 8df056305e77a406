#include "tensor/dtype.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tensor/blocks.h"

namespace pleiad {

TEST(DType, EveryTypeIsFoundByItsName) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto type = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name(type)), type) << name(type);
  }
  EXPECT_EQ(dtype_from_name("iq4_xs"), std::nullopt);
  EXPECT_EQ(dtype_from_name(""), std::nullopt);
}

TEST(DType, BlockBytesAreThoseOfTheStructs) {
  EXPECT_EQ(traits(DType::q8_0).block_bytes, static_cast<int>(sizeof(blocks::Q8_0)));
  EXPECT_EQ(traits(DType::q4_0).block_bytes, static_cast<int>(sizeof(blocks::Q4_0)));
  EXPECT_EQ(traits(DType::q4_1).block_bytes, static_cast<int>(sizeof(blocks::Q4_1)));
  EXPECT_EQ(traits(DType::q5_0).block_bytes, static_cast<int>(sizeof(blocks::Q5_0)));
  EXPECT_EQ(traits(DType::q5_1).block_bytes, static_cast<int>(sizeof(blocks::Q5_1)));
  EXPECT_EQ(traits(DType::q4_k).block_bytes, static_cast<int>(sizeof(blocks::Q4_K)));
  EXPECT_EQ(traits(DType::q5_k).block_bytes, static_cast<int>(sizeof(blocks::Q5_K)));
  EXPECT_EQ(traits(DType::q6_k).block_bytes, static_cast<int>(sizeof(blocks::Q6_K)));
  EXPECT_EQ(traits(DType::nvfp4).block_bytes, static_cast<int>(sizeof(blocks::NvFp4)));
  EXPECT_EQ(traits(DType::nvfp4_packed).block_bytes, static_cast<int>(sizeof(blocks::NvFp4Packed)));
}

TEST(DType, RowBytesCountWholeBlocks) {
  EXPECT_EQ(row_bytes(DType::f32, 3), 12U);
  EXPECT_EQ(row_bytes(DType::q4_0, 96), 54U);
  EXPECT_EQ(row_bytes(DType::q6_k, 256), 210U);
  EXPECT_EQ(row_bytes(DType::nvfp4_packed, 48), 24U);
  EXPECT_THROW((void)row_bytes(DType::q4_0, 33), InternalError);
}

}  // namespace pleiad
