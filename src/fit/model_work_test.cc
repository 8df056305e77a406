#include "fit/model_work.h"

#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "model/kv_cache.h"

namespace pleiad::fit {
namespace {

using convert::FileType;

ModelWork work_of(std::string_view member, FileType type) {
  return {*gemma4::find_member(member), type};
}

/// Megabytes of weights that a decoded token reads.
double megabytes(std::string_view member, FileType type) {
  return work_of(member, type).bytes_per_token() / 1e6;
}

// Published figures per token, from the same shapes by other hands. GGUF files of
// ours keep norms in F32 and per-layer gates in BF16, which these have otherwise.
constexpr double kE2bNorms = 0.57;  // MB more in F32
constexpr double kE4bNorms = 1.12;
constexpr double kE2bGates = 27.525120;  // millions of weights
constexpr double kE4bGates = 55.050240;

TEST(ModelWork, TokensReadThePublishedBytes) {
  EXPECT_NEAR(megabytes("e2b", FileType::bf16), 4559.5 + kE2bNorms, 0.1);
  EXPECT_NEAR(megabytes("e4b", FileType::bf16), 9288.9 + kE4bNorms, 0.1);
  EXPECT_NEAR(megabytes("e2b", FileType::q8_0), 2436.0 + kE2bGates * (2 - 34.0 / 32), 0.1);
  EXPECT_NEAR(megabytes("e4b", FileType::q8_0), 4962.2 + kE4bGates * (2 - 34.0 / 32), 0.1);
  EXPECT_NEAR(megabytes("e2b", FileType::q4_0), 1406.9 + kE2bGates * (2 - 18.0 / 32), 0.1);
  EXPECT_NEAR(megabytes("e4b", FileType::q4_0), 2827.0 + kE4bGates * (2 - 18.0 / 32), 0.1);
  EXPECT_NEAR(megabytes("e2b", FileType::nvfp4a16), 1861.6, 0.1);
  EXPECT_NEAR(megabytes("e4b", FileType::nvfp4a16), 3578.0, 0.1);
  EXPECT_NEAR(megabytes("e2b", FileType::fp8), 2682.7, 0.1);
  EXPECT_NEAR(megabytes("e4b", FileType::fp8), 5316.1, 0.1);
}

TEST(ModelWork, ATokenReadsTheExpertsItUses) {
  const ModelWork work = work_of("26b-a4b", FileType::bf16);
  // All but seven parts in 128 of the experts' 22,837,985,280 parameters; routers and norms in F32.
  const double active = 738'197'504.0 + 1'110'179'840 + 535'265'280 + 22'837'985'280.0 / 16;
  EXPECT_NEAR(work.bytes_per_token(), 2 * active + 4 * 11'513'886.0, 1e3);
  EXPECT_NEAR(static_cast<double>(work.tensor_bytes()),
              2 * (25'233'141'790.0 - 11'513'886) + 4 * 11'513'886.0, 1e3);
}

TEST(ModelWork, KeysAndValuesAreReadInEveryLayerAndWindow) {
  const ModelWork e2b = work_of("e2b", FileType::q4_0);
  EXPECT_EQ(e2b.kv_bytes_per_token(999, KvType::bf16), 28 * 1024 * 512 + 7 * 2048 * 1000);
  const ModelWork e4b = work_of("e4b", FileType::q4_0);
  EXPECT_EQ(e4b.kv_bytes_per_token(99, KvType::bf16), 35 * 2048 * 100 + 7 * 4096 * 100);
}

TEST(ModelWork, TheTableOfPerLayerEmbeddingsStaysInTheFile) {
  const ModelWork work = work_of("e4b", FileType::q8_0);
  EXPECT_EQ(work.tensor_bytes() - work.resident_weight_bytes(), 2'818'572'288 / 32 * 34);
  const ModelWork dense = work_of("31b", FileType::q8_0);
  EXPECT_EQ(dense.tensor_bytes(), dense.resident_weight_bytes());
}

TEST(ModelWork, Q5_0TakesWholeBytesInMemory) {
  // 704 columns are no multiple of 256: down projections of experts fall back to Q5_0.
  const ModelWork moe = work_of("26b-a4b", FileType::q4_k_s);
  EXPECT_GT(moe.resident_weight_bytes(), moe.tensor_bytes() + 1'000'000'000);
  const ModelWork plain = work_of("26b-a4b", FileType::q4_0);
  EXPECT_EQ(plain.resident_weight_bytes(), plain.tensor_bytes());
}

TEST(ModelWork, AFolderCarriesEncodersAlong) {
  // The folder in bf16 as released: 5,123,178,979 parameters; the text model and
  // the dead projections shrink, the embeddings and the encoders do not.
  const ModelWork work = work_of("e2b", FileType::fp8_dynamic);
  const double beside = static_cast<double>(work.file_bytes() - work.tensor_bytes());
  EXPECT_NEAR(beside, 2 * 475'729'088.0 + 18'880'512 + 32e6, 0.1e6);
  const ModelWork gguf = work_of("e2b", FileType::q8_0);
  EXPECT_EQ(gguf.file_bytes() - gguf.tensor_bytes(), 16'000'000U);
}

TEST(ModelWork, PartsAddUpToTheWholeModel) {
  const ModelWork work = work_of("e2b", FileType::q4_k_m);
  EXPECT_GE(work.parts().size(), 4U);  // q4_k, q6_k, bf16, f32
  double operations = 0;
  for (const ModelWork::Part& part : work.parts()) operations += work.prompt_operations(part, 2);
  double one = 0;
  for (const ModelWork::Part& part : work.parts()) one += work.prompt_operations(part, 1);
  // One more row: 14 layers and the keys and values of the fifteenth.
  const double row = 12 * 35'389'440.0 + 2 * 42'467'328.0 + 14 * (786'432.0 + 393'216) + 1'572'864;
  EXPECT_NEAR(operations - one, 2 * row, 1);
}

TEST(ModelWork, APromptsRowGoesThroughTheLayersThatOwnKeysAndValues) {
  const double e2b = work_of("e2b", FileType::q4_0).values_per_prompt_row();
  const double sliding = 6.0 * 1536 + 2.0 * 8 * 256 + 2.0 * 6144;
  EXPECT_EQ(e2b, 15 * sliding + 3 * 2.0 * 8 * 256);
}

TEST(ModelWork, OnlyTheLastRowMeetsTheHeadAndTheLayersThatShare) {
  const auto last_row = [](const ModelWork& work) {
    double bytes = 0;
    for (const ModelWork::Part& part : work.parts()) bytes += work.last_row_bytes(part);
    return bytes / 2;
  };
  const ModelWork e2b = work_of("e2b", FileType::bf16);
  // The head; layer 14 but for its keys and values; 16 sliding layers and 4 full ones that share;
  // per-layer gates of 21 layers and their parts of the projection.
  const double layers = 40'894'464.0 + 16 * 62'914'560.0 + 4 * 69'206'016.0;
  const double gates = 21 * (786'432.0 + 393'216);
  constexpr double kRowOfTheTable = 8960;  // read by every row
  EXPECT_NEAR(last_row(e2b), 402'653'184.0 + layers + gates, kRowOfTheTable);
  EXPECT_EQ(e2b.n_last_row_layers(), 21);
  const ModelWork dense = work_of("31b", FileType::bf16);
  EXPECT_EQ(dense.n_last_row_layers(), 1);
  EXPECT_LT(last_row(dense), 0.07 * dense.bytes_per_token());
}

class KvBytes : public testing::TestWithParam<KvType> {};

TEST_P(KvBytes, AreThoseThatTheCacheCounts) {
  cpu::CpuBackend backend({"scalar", 1, 8});
  for (const gemma4::FamilyMember& member : gemma4::family()) {
    const gemma4::Config config = gemma4::config_of(member);
    std::vector<KvLayerShape> shapes;
    for (int index = 0; index < config.n_layers(); ++index) {
      const gemma4::LayerConfig& layer = config.layers[static_cast<std::size_t>(index)];
      if (!layer.owns_kv(index)) continue;
      const bool slides = layer.attention == gemma4::AttentionKind::sliding;
      shapes.push_back({layer.n_kv_heads, layer.head_dim, slides ? config.sliding_window : 0});
    }
    KvCacheOptions options;
    options.type = GetParam();
    const KvCache cache(backend, shapes, options);
    for (const std::int64_t n : {1, 63, 64, 65, 511, 512, 1024, 1088, 1600, 5000, 131'072}) {
      EXPECT_EQ(kv_cache_bytes(config, n, GetParam()),
                cache.lasting_bytes_for(n) + cache.sliding_bytes_for(n, ModelWork::kMaxRows))
          << member.name << " " << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryType, KvBytes,
                         testing::Values(KvType::f32, KvType::bf16, KvType::q8_0, KvType::q4_0));

}  // namespace
}  // namespace pleiad::fit
