#include "backend/cpu/isa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "base/error.h"

namespace pleiad::cpu {

using ::testing::HasSubstr;

TEST(PickIsa, TakesTheBestUsableSetUnlessOneIsForced) {
  const std::vector<Isa> usable = usable_isas();
  ASSERT_FALSE(usable.empty());
  EXPECT_EQ(usable.front(), Isa::scalar);
  EXPECT_EQ(pick_isa(""), usable.back());
  for (const Isa isa : usable) EXPECT_EQ(pick_isa(name(isa)), isa);
}

TEST(PickIsa, ForcedSetReallyRuns) {
  for (const Isa isa : usable_isas()) {
    EXPECT_EQ(kernels_for(isa).name, name(isa));
    CpuBackend backend({.isa = std::string(name(isa)), .n_threads = 1, .max_rows = 1});
    EXPECT_THAT(backend.description(), HasSubstr(std::string(name(isa))));
  }
}

TEST(PickIsa, EverySetHasEveryKernelAndOneTheMatrixUnit) {
  for (const Isa isa : usable_isas()) {
    const kernels::Kernels table = kernels_for(isa);
    for (int kind = 0; kind < kernels::kPackedKinds; ++kind) {
      EXPECT_NE(table.word_linear[kind], nullptr) << name(isa);
      EXPECT_NE(table.byte_linear[kind], nullptr) << name(isa);
    }
    EXPECT_NE(table.encoder_attention, nullptr) << name(isa);
    EXPECT_EQ(table.tile_linear != nullptr, isa == Isa::amx) << name(isa);
    EXPECT_EQ(table.fill_tiles != nullptr, isa == Isa::amx) << name(isa);
    EXPECT_EQ(table.fill_batch != nullptr, isa == Isa::amx) << name(isa);
    EXPECT_EQ(table.fill_superblock_batch != nullptr, isa == Isa::amx) << name(isa);
    EXPECT_EQ(table.prompt_attention != nullptr, isa == Isa::amx) << name(isa);
    EXPECT_EQ(table.generated_attention != nullptr, isa == Isa::amx) << name(isa);
  }
}

TEST(PickIsa, UnknownNameSaysWhatThereIs) {
  try {
    (void)pick_isa("avx9000");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("avx9000"));
    EXPECT_THAT(error.what(), HasSubstr("scalar"));
  }
}

}  // namespace pleiad::cpu
