// Every type that a file may store a tower's matrices in.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>

#include "formats/gguf/ggml_types.h"
#include "formats/gguf/writer.h"
#include "model/gemma4/vision/tensor_table.h"
#include "model/testing/encoder_testing.h"
#include "model/testing/golden_media.h"
#include "quantize/encode.h"
#include "tensor/decode.h"

namespace pleiad::gemma4 {
namespace {

namespace fs = std::filesystem;

/// As wide as the largest block, for the text model of golden "e2b".
VisionConfig wide_tower() {
  VisionConfig config;
  config.hidden_dim = 256;
  config.ffn_dim = 512;
  config.n_layers = 1;
  config.n_heads = 4;
  config.head_dim = 64;
  config.position_table_size = 16;
  config.model_dim = 32;
  config.patch_order = PatchOrder::channels;
  return config;
}

struct EncodedMatrix {
  std::vector<std::byte> data;
  std::vector<float> values;  // what the data stands for
};

EncodedMatrix encoded_matrix(DType type, const Shape& shape, const std::vector<float>& values) {
  EncodedMatrix matrix;
  HostTensor tensor{"t", type, shape, {}, {}};
  matrix.data.resize(tensor.bytes_per_row() * static_cast<std::size_t>(tensor.rows()));
  matrix.values.resize(values.size());
  const auto cols = static_cast<std::size_t>(tensor.cols());
  for (std::size_t row = 0; row * cols < values.size(); ++row) {
    quantize::encode_row({.type = type, .rounding = quantize::Rounding::nearest},
                         std::span(values).subspan(row * cols, cols),
                         matrix.data.data() + row * tensor.bytes_per_row());
  }
  tensor.data = matrix.data;
  for (std::int64_t row = 0; row < tensor.rows(); ++row) {
    decode_row(tensor, row, matrix.values.data() + row * tensor.cols());
  }
  return matrix;
}

/// Writes two projector files: with matrices of `type`, and in f32 with what these stand for.
void write_towers(DType type, const fs::path& stored, const fs::path& decoded) {
  const VisionConfig config = wide_tower();
  gguf::Writer first(stored);
  gguf::Writer second(decoded);
  for (gguf::Writer* writer : {&first, &second}) {
    writer->set_string("general.architecture", "clip");
    writer->set_string("clip.vision.projector_type", "gemma4v");
    writer->set_u32("clip.vision.projection_dim", 32);
    writer->set_u32("clip.vision.embedding_length", 256);
    writer->set_u32("clip.vision.feed_forward_length", 512);
    writer->set_u32("clip.vision.block_count", 1);
    writer->set_u32("clip.vision.attention.head_count", 4);
  }
  const auto table = vision_tensor_table(config);
  const auto is_matrix = [](const EncoderTensorSpec& spec) { return spec.gguf_shape.size() == 2; };
  for (const EncoderTensorSpec& spec : table) {
    first.add_tensor(spec.gguf_name, is_matrix(spec) ? type : DType::f32, spec.gguf_shape);
    second.add_tensor(spec.gguf_name, DType::f32, spec.gguf_shape);
  }
  std::mt19937 random(5);
  for (const EncoderTensorSpec& spec : table) {
    const bool is_norm = spec.shape.size() == 1;
    std::normal_distribution<float> normal(
        is_norm ? 1.0F : 0.0F,
        is_norm ? 0.2F : 1.0F / std::sqrt(static_cast<float>(spec.shape.back())));
    std::vector<float> values(static_cast<std::size_t>(element_count(spec.shape)));
    for (float& value : values) value = normal(random);
    if (!is_matrix(spec)) {
      first.write(std::as_bytes(std::span(values)));
      second.write(std::as_bytes(std::span(values)));
      continue;
    }
    const EncodedMatrix matrix = encoded_matrix(type, spec.shape, values);
    first.write(matrix.data);
    second.write(std::as_bytes(std::span(matrix.values)));
  }
  first.finish();
  second.finish();
}

std::vector<float> soft_tokens_of(const fs::path& projector) {
  testing_support::VisionRunner runner(testing_support::golden_media("e2b") / "e2b.gguf",
                                       {.max_rows = 64, .projector = projector});
  return runner.encode(testing_support::pattern_picture(144, 96, 3), 64);
}

class VisionTowerTypes : public ::testing::TestWithParam<DType> {};

// Activations are rounded to eight bits before they meet quantized matrices.
TEST_P(VisionTowerTypes, GiveTheSoftTokensOfTheValuesThatTheyStandFor) {
  const fs::path folder =
      fs::temp_directory_path() /
      ("pleiad_tower_" + std::string(name(GetParam())) + std::to_string(::getpid()));
  fs::create_directories(folder);
  write_towers(GetParam(), folder / "stored.gguf", folder / "decoded.gguf");
  const std::vector<float> found = soft_tokens_of(folder / "stored.gguf");
  const std::vector<float> expected = soft_tokens_of(folder / "decoded.gguf");
  fs::remove_all(folder);
  ASSERT_EQ(found.size(), 6U * 32);
  EXPECT_LE(testing_support::relative_difference(found, expected), 0.03);
}

INSTANTIATE_TEST_SUITE_P(Types, VisionTowerTypes,
                         ::testing::Values(DType::f32, DType::f16, DType::bf16, DType::q8_0,
                                           DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1,
                                           DType::q4_k, DType::q5_k, DType::q6_k, DType::nvfp4),
                         [](const auto& item) { return std::string(name(item.param)); });

}  // namespace
}  // namespace pleiad::gemma4
