// What rounding the weights to each type costs in the logits, and that the search for
// scales makes it less: on the tiny checkpoints of every family and on the demo model.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "base/json.h"
#include "base/testing/json.h"
#include "base/testing/paths.h"
#include "base/testing/test_folder.h"
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

/// The layers' matrices but the router, where their rows are whole numbers of blocks, rounded
/// to a type and stored as f32.
void write_rounded(const fs::path& source, const fs::path& target, DType type,
                   quantize::Rounding rounding) {
  testing_support::write_changed_gguf(
      source, target, [&](const gguf::TensorInfo& tensor) -> std::vector<StoredTensor> {
        const bool wanted = tensor.shape.size() > 1 && tensor.name.starts_with("blk.") &&
                            tensor.name.find("ffn_gate_inp") == tensor.name.npos &&
                            tensor.shape.back() % traits(type).block_size == 0;
        if (!wanted) return {testing_support::stored(tensor)};
        float largest = 0.0F;  // of the whole tensor, as a file has it
        testing_support::rounded(tensor, [&](const std::vector<float>& row) {
          for (const float x : row) largest = std::max(largest, std::abs(x));
          return row;
        });
        quantize::EncodeOptions options{.type = type, .rounding = rounding};
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

using Tokens = std::vector<std::int32_t>;

class QuantizedQuality : public ::testing::Test {
 protected:
  static constexpr int kTokens = 320;  // of a sequence, at most

  ModelRunner rounded(const fs::path& source, DType type, quantize::Rounding rounding) const {
    const fs::path path = folder_ / "rounded.gguf";
    write_rounded(source, path, type, rounding);
    return ModelRunner(path, "", 1, kTokens, kTokens);
  }

  static std::vector<float> logits(ModelRunner& model, const std::vector<Tokens>& texts) {
    std::vector<float> all;
    for (const Tokens& text : texts) {
      const std::vector<float> found = model.logits(text, kTokens);
      all.insert(all.end(), found.begin(), found.end());
    }
    return all;
  }

  /// Of every type, by the plain rule and by the search; says them all.
  std::vector<std::pair<Cost, Cost>> costs(const fs::path& source, const std::vector<Tokens>& texts,
                                           std::span<const DType> types) const {
    ModelRunner before = rounded(source, DType::f32, quantize::Rounding::nearest);
    const auto vocab = static_cast<std::size_t>(before.model().info().vocab_size);
    const std::vector<float> expected = logits(before, texts);
    std::vector<std::pair<Cost, Cost>> result;
    for (const DType type : types) {
      Cost found[2];
      for (const auto rounding : {quantize::Rounding::nearest, quantize::Rounding::search}) {
        ModelRunner after = rounded(source, type, rounding);
        found[static_cast<int>(rounding)] = cost_of(logits(after, texts), expected, vocab);
      }
      result.emplace_back(found[0], found[1]);
      std::printf("%-8s divergence %.6f -> %.6f, same best %.3f -> %.3f\n",
                  std::string(name(type)).c_str(), found[0].divergence, found[1].divergence,
                  found[0].same_best, found[1].same_best);
    }
    return result;
  }

  TestFolder folder_;
};

/// The geometric mean of what the search leaves of the divergence.
double remaining(const std::vector<std::pair<Cost, Cost>>& costs) {
  double sum = 0;
  for (const auto& [nearest, search] : costs) {
    sum += std::log(search.divergence / nearest.divergence);
  }
  return std::exp(sum / static_cast<double>(costs.size()));
}

TEST_F(QuantizedQuality, OfTheDemoModelIsAsMeasured) {
  struct Bound {
    DType type;
    double divergence;
    double same_best;
  };
  // At most a third more than was measured, which comments say beside that of the plain rule. One
  // model's divergence is one throw of many: q4_0 falls worse than nearest here.
  constexpr Bound kBounds[] = {
      {DType::f8_e4m3, 0.0031, 0.98},  // 0.0027
      {DType::q6_k, 0.00095, 0.985},   // 0.0007; 0.0011 (the model's own weights are q8_0)
      {DType::q5_k, 0.0036, 0.97},     // 0.0034; 0.0048
      {DType::q4_k, 0.0174, 0.955},    // 0.0131; 0.0185
      {DType::q4_0, 0.0363, 0.945},    // 0.0272; 0.0228
      {DType::nvfp4, 0.0270, 0.945},   // 0.0254; 0.0372
  };
  std::ifstream file(source_path("models/demo/golden.json"));
  const Json golden = json_from(file);
  std::vector<Tokens> texts;
  for (const Json& item : golden) {
    Tokens& text = texts.emplace_back(item.at("prompt_ids").get<Tokens>());
    const auto reply = item.at("greedy_ids").get<Tokens>();
    text.insert(text.end(), reply.begin(), reply.end());
  }
  std::vector<DType> types;
  for (const Bound& bound : kBounds) types.push_back(bound.type);
  const auto found = costs(source_path("models/demo/pleiad-demo.gguf"), texts, types);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_LE(found[i].second.divergence, kBounds[i].divergence) << name(types[i]);
    EXPECT_GE(found[i].second.same_best, kBounds[i].same_best) << name(types[i]);
  }
  EXPECT_LT(remaining(found), 0.95);  // 0.80
}

TEST_F(QuantizedQuality, OfEveryFamilyIsBetterByTheSearch) {
  constexpr DType kTypes[] = {DType::q8_0, DType::q5_0, DType::q4_0, DType::nvfp4};
  Tokens tokens = {2};
  for (int i = 1; i < 200; ++i) tokens.push_back(i * 37 % 260 + 3);
  for (const char* model : {"e2b", "e4b", "26b-a4b", "31b"}) {
    const fs::path folder = fs::path(golden_path()) / "models" / model;
    const auto found = costs(folder / (std::string(model) + ".gguf"), {tokens}, kTypes);
    for (const auto& [nearest, search] : found) {
      EXPECT_LT(search.divergence, nearest.divergence) << model;
    }
  }
}

}  // namespace
}  // namespace pleiad
