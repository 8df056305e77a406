#include "synthetic/tensors.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "synthetic/block_stream.h"

namespace pleiad::synthetic {
namespace {

std::vector<SyntheticTensor> list_of(const char* text) {
  const Spec spec = parse_spec(text);
  return tensor_list(spec, dimensions_of(spec));
}

std::int64_t parameters(const char* text) {
  std::int64_t count = 0;
  for (const SyntheticTensor& tensor : list_of(text)) {
    if (tensor.name != "rope_freqs.weight") count += element_count(tensor.shape);
  }
  return count;
}

TEST(TensorList, HasTheParametersOfTheRealModels) {
  // The text models' parameters less the projections and norms of keys and values
  // in layers that share them, which files may leave out.
  EXPECT_EQ(parameters("e2b:bf16"), 4'647'449'891 - 18'880'512);
  EXPECT_EQ(parameters("e4b:bf16"), 7'518'069'034 - 55'055'616);
}

TEST(TensorList, ReadsTheBytesOfTheRealModelForAToken) {
  // E2B, Q4_0 with a Q6_K head and gates of its own type: 1,406.9 MB a token.
  Spec spec = parse_spec("e2b:q4_0");
  spec.per_layer_gates = DType::q4_0;
  std::uint64_t bytes = 0;
  for (const auto& tensor : tensor_list(spec, dimensions_of(spec))) {
    if (tensor.name != kPerLayerTable) bytes += byte_size(tensor);
  }
  EXPECT_NEAR(static_cast<double>(bytes) * 1e-6, 1406.9, 0.1);
}

TEST(TensorList, GivesEveryNvFp4MatrixItsScale) {
  const auto list = list_of("e2b:nvfp4");
  for (const SyntheticTensor& tensor : list) {
    if (tensor.type != DType::nvfp4) continue;
    const std::string scale = tensor.name.substr(0, tensor.name.size() - 7) + ".scale";
    EXPECT_TRUE(std::ranges::any_of(list, [&](const auto& other) { return other.name == scale; }))
        << scale;
  }
}

}  // namespace
}  // namespace pleiad::synthetic
