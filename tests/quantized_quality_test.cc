// What rounding the weights to each type costs in the logits, and that the search for
// scales makes it less: on the tiny checkpoints of every family and on the demo model.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "quantize/encode.h"
#include "support/changed_gguf.h"
#include "support/model_runner.h"
#include "tensor/decode.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using testing_support::ModelRunner;
using testing_support::StoredTensor;

/// Means over the rows of logits [n_rows, vocab_size].
struct Cost {
  double divergence = 0;  // Kullback-Leibler, of the rounded model from the other, in nats
  double same_best = 0;   // the share of rows with the same best token
};

std::vector<double> probabilities(std::span<const float> logits) {
  double largest = logits[0];
  for (const float x : logits) largest = std::max<double>(largest, x);
  double sum = 0;
  std::vector<double> result;
  for (const float x : logits) sum += result.emplace_back(std::exp(x - largest));
  for (double& p : result) p /= sum;
  return result;
}

Cost cost_of(std::span<const float> found, std::span<const float> expected, std::size_t vocab) {
  Cost cost;
  const auto n_rows = static_cast<double>(expected.size() / vocab);
  for (std::size_t at = 0; at < expected.size(); at += vocab) {
    const auto p = probabilities(expected.subspan(at, vocab));
    const auto q = probabilities(found.subspan(at, vocab));
    for (std::size_t i = 0; i < vocab; ++i) {
      if (p[i] > 0) cost.divergence += p[i] * std::log(p[i] / q[i]) / n_rows;
    }
    const auto best = [](const std::vector<double>& values) {
      return std::max_element(values.begin(), values.end()) - values.begin();
    };
    cost.same_best += best(p) == best(q) ? 1 / n_rows : 0;
  }
  return cost;
}

/// The layers' matrices rounded to a type, where their rows are whole numbers of blocks.
void write_rounded(const fs::path& source, const fs::path& target, DType type,
                   quantize::Rounding rounding) {
  const auto block = traits(type).block_size;
  testing_support::write_changed_gguf(
      source, target, [&](const gguf::TensorInfo& tensor) -> std::vector<StoredTensor> {
        const bool wanted = tensor.shape.size() > 1 && tensor.name.starts_with("blk.") &&
                            tensor.name.find("ffn_gate_inp") == tensor.name.npos &&
                            tensor.shape.back() % block == 0;
        quantize::EncodeOptions options{.type = type, .rounding = rounding};
        // Of the whole tensor, as a file has it.
        float largest = 0.0F;
        StoredTensor values = testing_support::rounded(tensor, [&](const std::vector<float>& row) {
          for (const float x : row) largest = std::max(largest, std::abs(x));
          return row;
        });
        if (!wanted) return {values};
        if (type == DType::nvfp4) options.tensor_scale = quantize::nvfp4_tensor_scale(largest);
        if (type == DType::f8_e4m3) options.tensor_scale = quantize::fp8_tensor_scale(largest);
        return {testing_support::rounded(tensor, [&](const std::vector<float>& row) {
          std::vector<std::byte> bytes(row_bytes(type, row.size()));
          quantize::encode_row(options, row, bytes.data());
          std::vector<float> decoded(row.size());
          decode_blocks(type, bytes.data(), row.size(), decoded.data());
          for (float& x : decoded) x *= options.tensor_scale;
          return decoded;
        })};
      });
}

struct Bound {
  DType type;
  double divergence;  // of the demo model
};

class QuantizedQuality : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "pleiad_quality_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  Cost cost(const fs::path& source, DType type, quantize::Rounding rounding,
            const std::vector<std::int32_t>& tokens) {
    const fs::path plain = folder_ / "plain.gguf";
    const fs::path changed = folder_ / "changed.gguf";
    write_rounded(source, plain, DType::f32, rounding);
    write_rounded(source, changed, type, rounding);
    ModelRunner before(plain, "", 2, 256, 256);
    ModelRunner after(changed, "", 2, 256, 256);
    const auto vocab = static_cast<std::size_t>(before.model().info().vocab_size);
    return cost_of(after.logits(tokens, 256), before.logits(tokens, 256), vocab);
  }

  fs::path folder_;
};

constexpr DType kTypes[] = {DType::bf16, DType::q8_0, DType::f8_e4m3, DType::q6_k,
                            DType::q5_k, DType::q5_1, DType::q5_0,    DType::q4_k,
                            DType::q4_1, DType::q4_0, DType::nvfp4};

TEST_F(QuantizedQuality, Measure) {
  for (const char* model : {"e2b", "e4b", "26b-a4b", "31b", "demo"}) {
    const fs::path source =
        std::string(model) == "demo"
            ? fs::path(PLEIAD_SOURCE_DIR "/models/demo/pleiad-demo.gguf")
            : fs::path(PLEIAD_GOLDEN_DIR) / "models" / model / (std::string(model) + ".gguf");
    std::vector<std::int32_t> tokens = {2};
    for (int i = 1; i < 120; ++i) tokens.push_back(i * 37 % 260 + 3);
    for (const DType type : kTypes) {
      const Cost nearest = cost(source, type, quantize::Rounding::nearest, tokens);
      const Cost search = cost(source, type, quantize::Rounding::search, tokens);
      std::printf("%-8s %-8s %.6f %.6f  %.3f %.3f\n", model, std::string(name(type)).c_str(),
                  nearest.divergence, search.divergence, nearest.same_best, search.same_best);
    }
  }
}

}  // namespace
}  // namespace pleiad
