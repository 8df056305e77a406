#include "verify/families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace pleiad::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The same tensor of so many layers, each typically of a size.
struct Layers {
  std::vector<StoredTensor> tensors;
  std::vector<std::optional<double>> typical;

  void add(const std::vector<double>& sizes, const std::string& type = "F32") {
    for (std::size_t layer = 0; layer < sizes.size(); ++layer) {
      StoredTensor tensor;
      tensor.file_name = "blk." + std::to_string(layer) + ".ffn_up.weight";
      tensor.name = "layers." + std::to_string(layer);
      tensor.type = type;
      tensor.role = TensorRole::text;
      tensors.push_back(tensor);
      typical.push_back(sizes[layer]);
    }
  }

  /// The names of those that are found unlike the others.
  std::vector<std::string> unlike() const {
    std::vector<Finding> findings;
    judge_families(tensors, typical, findings);
    std::vector<std::string> names;
    for (const Finding& finding : findings) names.push_back(finding.ours);
    return names;
  }
};

std::vector<std::string> unlike(const std::vector<double>& sizes) {
  Layers layers;
  layers.add(sizes);
  return layers.unlike();
}

TEST(Families, FourLayersTellWhichOfThemIsUnlikeTheOthers) {
  EXPECT_THAT(unlike({1, 1, 1, 1e4}), ElementsAre("layers.3"));
  EXPECT_THAT(unlike({1, 1e-4, 1, 1}), ElementsAre("layers.1"));
  EXPECT_THAT(unlike({1, 1, 1e4}), IsEmpty()) << "too few";
  EXPECT_THAT(unlike({}), IsEmpty());
}

TEST(Families, AThousandfoldIsUnlikeAndLessIsNot) {
  EXPECT_THAT(unlike({1, 1, 1, 1, 1000}), ElementsAre("layers.4"));
  EXPECT_THAT(unlike({1, 1, 1, 1, 999}), IsEmpty());
  EXPECT_THAT(unlike({1000, 1000, 1000, 1000, 1}), ElementsAre("layers.4"));
  EXPECT_THAT(unlike({999, 999, 999, 999, 1}), IsEmpty());
}

TEST(Families, TypesAreComparedAmongThemselves) {
  Layers layers;
  layers.add({1, 1, 1, 1});
  layers.add({1e4, 1e4, 1e4, 1e4}, "F8_E4M3");
  EXPECT_THAT(layers.unlike(), IsEmpty());
}

TEST(Families, WhatHasNoSizeIsLeftOut) {
  Layers layers;
  layers.add({1, 1, 1, 1, 1e4});
  layers.typical[4].reset();
  EXPECT_THAT(layers.unlike(), IsEmpty());
  layers.typical[4] = 1e4;
  layers.typical[0].reset();
  EXPECT_THAT(layers.unlike(), ElementsAre("layers.4")) << "four are left";
  layers.typical[1].reset();
  EXPECT_THAT(layers.unlike(), IsEmpty()) << "three are left";
}

}  // namespace
}  // namespace pleiad::verify
