#include "model/gemma4/family.h"

#include <gtest/gtest.h>

#include "model/gemma4/audio/tensor_table.h"
#include "model/gemma4/config_rules.h"
#include "model/gemma4/tensor_table.h"
#include "model/gemma4/vision/tensor_table.h"

namespace pleiad::gemma4 {
namespace {

std::int64_t text_parameters(const FamilyMember& member) {
  std::int64_t total = 0;
  for (const TensorSpec& spec : tensor_table(config_of(member))) total += element_count(spec.shape);
  return total;
}

TEST(Family, FilesHaveAsManyParametersAsTheReleasedOnes) {
  const auto whole = [](std::string_view key) {
    const FamilyMember& member = *find_member(key);
    std::int64_t vision = 0;
    for (const auto& spec : vision_tensor_table(vision_config_of(member))) {
      vision += element_count(spec.shape);
    }
    std::int64_t audio = 0;
    if (const auto config = audio_config_of(member)) {
      for (const auto& spec : audio_tensor_table(*config)) audio += element_count(spec.shape);
    }
    return text_parameters(member) + dead_kv_parameters(member) + vision + audio;
  };
  EXPECT_EQ(whole("e2b"), 5'123'178'979);
  EXPECT_EQ(whole("e4b"), 7'996'157'418);
  EXPECT_EQ(whole("12b"), 11'959'730'224);
  EXPECT_EQ(whole("26b-a4b"), 25'805'936'206);
  EXPECT_EQ(whole("31b"), 31'273'088'876);
}

TEST(Family, LayersShareTheLastOwnersOfTheirKind) {
  const Config e2b = config_of(*find_member("e2b"));
  EXPECT_EQ(e2b.layers[34].kv_layer, 14);
  EXPECT_EQ(e2b.layers[15].kv_layer, 13);
  const Config e4b = config_of(*find_member("e4b"));
  EXPECT_EQ(e4b.layers[41].kv_layer, 23);
  EXPECT_EQ(e4b.layers[40].kv_layer, 22);
  const Config dense = config_of(*find_member("31b"));
  EXPECT_EQ(dense.layers[59].kv_layer, 59);
  EXPECT_TRUE(dense.layers[59].value_is_key);
  EXPECT_FALSE(dense.layers[58].value_is_key);
}

TEST(Family, IsKnownByItsShapeAndSmallestFirst) {
  std::int64_t before = 0;
  for (const FamilyMember& member : family()) {
    EXPECT_EQ(name_from_shape(config_of(member)), member.name);
    EXPECT_GT(text_parameters(member), before);
    before = text_parameters(member);
  }
  EXPECT_EQ(find_member("e3b"), nullptr);
}

}  // namespace
}  // namespace pleiad::gemma4
