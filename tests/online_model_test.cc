// A model that is quantized while it loads computes what a file of these types computes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

#include "base/error.h"
#include "model/gemma4/online.h"
#include "model/gemma4/tensor_table.h"
#include "quantize/encode.h"
#include "support/changed_gguf.h"
#include "support/compare_logits.h"
#include "support/model_runner.h"
#include "support/synthetic_files.h"
#include "tensor/decode.h"

namespace pleiad {
namespace {

using testing_support::ModelRunner;
using testing_support::some_tokens;
using testing_support::StoredTensor;
using testing_support::SyntheticFamily;

class OnlineModel : public ::testing::TestWithParam<SyntheticFamily> {
 protected:
  std::filesystem::path source() const { return files_.blocks(); }

  /// A file with every tensor that the loader quantizes in its type already, or with
  /// the values of that as f32; the head stands beside its table.
  std::filesystem::path quantized(DType type, bool as_values) const {
    const std::filesystem::path target = files_.folder() / "quantized.gguf";
    const Checkpoint checkpoint = Checkpoint::open(source());
    testing_support::write_changed_gguf(
        source(), target, [&](const gguf::TensorInfo& tensor) -> std::vector<StoredTensor> {
          const auto to = gemma4::online_type(checkpoint, our_name(checkpoint, tensor), {type, 1});
          if (!to) return {testing_support::stored(tensor)};
          StoredTensor made = encoded(tensor, *to, as_values);
          if (tensor.name != "token_embd.weight") return {made};
          made.name = "output.weight";
          return {testing_support::stored(tensor), made};
        });
    return target;
  }

  testing_support::SyntheticFiles files_{GetParam(), DType::bf16};

 private:
  static std::string our_name(const Checkpoint& checkpoint, const gguf::TensorInfo& tensor) {
    for (const auto& spec : gemma4::tensor_table(checkpoint.config())) {
      if (spec.gguf_name == tensor.name) return spec.name;
    }
    return "";
  }

  static StoredTensor encoded(const gguf::TensorInfo& tensor, DType type, bool as_values) {
    std::vector<std::byte> blocks;
    StoredTensor made = testing_support::rounded(tensor, [&](const std::vector<float>& row) {
      quantize::EncodeOptions options{.type = type};
      if (type == DType::f8_e4m3) {
        float largest = 0.0F;
        for (const float x : row) largest = std::max(largest, std::abs(x));
        options.tensor_scale = quantize::fp8_tensor_scale(largest);
      }
      std::vector<std::byte> bytes(row_bytes(type, row.size()));
      quantize::encode_row(options, row, bytes.data());
      blocks.insert(blocks.end(), bytes.begin(), bytes.end());
      std::vector<float> values(row.size());
      decode_blocks(type, bytes.data(), row.size(), values.data());
      for (float& value : values) value *= options.tensor_scale;
      return values;
    });
    if (!as_values) {
      made.type = type;
      made.data = blocks;
    }
    return made;
  }
};

TEST_P(OnlineModel, GivesTheBitsOfAFileOfTheSameTypes) {
  const std::vector<std::int32_t> tokens = some_tokens(16);
  for (const auto& [type, n_threads] : {std::pair{DType::q8_0, 3}, std::pair{DType::q4_0, 1}}) {
    ModelRunner expected(quantized(type, false), "", 1);
    ModelRunner plain(source(), "", 1);
    ModelRunner online(source(), "", 1, 96, 96, gemma4::OnlineOptions{type, n_threads});
    for (const Phase phase : {Phase::generation, Phase::prompt}) {
      const std::vector<float> found = online.logits(tokens, 11, phase);
      EXPECT_TRUE(found == expected.logits(tokens, 11, phase)) << name(type);
      EXPECT_TRUE(found != plain.logits(tokens, 11, phase)) << name(type);
    }
  }
}

TEST_P(OnlineModel, IsCountedInTheBytesThatItHas) {
  const Checkpoint plain = Checkpoint::open(source());
  for (const DType type : {DType::q8_0, DType::q4_0}) {
    const Checkpoint file = Checkpoint::open(quantized(type, false));
    const gemma4::OnlineOptions options{type, 1};
    plain.for_each([&](std::string_view our_name, const HostTensor&) {
      const bool tied = our_name == "embedding";
      EXPECT_EQ(gemma4::loaded_bytes(plain, our_name, options),
                file.get(tied ? "head" : our_name).data.size())
          << our_name;
      EXPECT_EQ(gemma4::loaded_bytes(plain, our_name, {}), plain.get(our_name).data.size());
    });
  }
  const HostTensor& matrix = plain.get("layers.0.attention.q_proj");
  EXPECT_EQ(gemma4::loaded_bytes(plain, "layers.0.attention.q_proj",
                                 gemma4::OnlineOptions{DType::f8_e4m3, 1}),
            static_cast<std::uint64_t>(matrix.rows() * (matrix.cols() + 4)));
}

TEST_P(OnlineModel, InFp8GivesTheLogitsOfTheSameValues) {
  const std::vector<std::int32_t> tokens = some_tokens(24);
  ModelRunner expected = ModelRunner::precise(quantized(DType::f8_e4m3, true));
  ModelRunner online = ModelRunner::precise(source(), "", gemma4::OnlineOptions{DType::f8_e4m3, 2});
  const auto errors =
      testing_support::compare_logits(online.logits(tokens, 11), expected.logits(tokens, 11), 96);
  EXPECT_LE(errors.relative_rms, 2.5e-4);  // measured: of the q8_0 head's activations
  EXPECT_EQ(errors.same_best, 24);
}

TEST_P(OnlineModel, IsNotMadeOfWhatIsQuantizedAlready) {
  const std::filesystem::path file = quantized(DType::q4_0, false);
  gemma4::OnlineOptions options{DType::q8_0, 2};
  try {
    ModelRunner online(file, "", 1, 96, 96, options);
    ADD_FAILURE() << "expected an error";
  } catch (const LoadError& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("expected weights in BF16, F16 or F32, found q4_0"));
  }
  options.leave_quantized = true;
  ModelRunner left(file, "", 1, 96, 96, options);
  ModelRunner expected(file, "", 1);
  const std::vector<std::int32_t> tokens = some_tokens(8);
  EXPECT_TRUE(left.logits(tokens, 8) == expected.logits(tokens, 8));
}

TEST_P(OnlineModel, RefusesWeightsThatAreNoNumbers) {
  const std::filesystem::path file = files_.folder() / "bad.gguf";
  testing_support::write_changed_gguf(
      source(), file, [&](const gguf::TensorInfo& tensor) -> std::vector<StoredTensor> {
        StoredTensor same = testing_support::stored(tensor);
        if (tensor.name == "blk.1.attn_q.weight") {
          same.data[2 * 3 * 256] = std::byte{0x80};  // row 3, column 0: infinity
          same.data[2 * 3 * 256 + 1] = std::byte{0x7F};
        }
        return {same};
      });
  try {
    ModelRunner online(file, "", 1, 96, 96, gemma4::OnlineOptions{DType::q8_0, 2});
    ADD_FAILURE() << "expected an error";
  } catch (const LoadError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("blk.1.attn_q.weight: row 3: expected finite"));
  }
}

INSTANTIATE_TEST_SUITE_P(Families, OnlineModel,
                         ::testing::Values(SyntheticFamily::e_series,
                                           SyntheticFamily::mixture_of_experts),
                         [](const auto& test) {
                           return test.param == SyntheticFamily::e_series ? "e_series" : "experts";
                         });

}  // namespace
}  // namespace pleiad
