#include "verify/tower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "model/testing/changed_projector.h"
#include "model/testing/golden_media.h"
#include "verify/verify.h"

namespace pleiad::verify {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing_support::GgufTensor;
using testing_support::golden_media;
using testing_support::write_changed_gguf;

/// A tiny model with a projector file beside it, of which a test changes values.
class VerifyTower : public ::testing::Test {
 protected:
  VerifyTower() {
    std::string pattern = (fs::temp_directory_path() / "pleiad_verify_tower_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~VerifyTower() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void take(const std::string& family) {
    model_ = folder_ / "m.gguf";
    fs::copy_file(golden_media(family) / (family + ".gguf"), model_);
    family_ = family;
  }
  fs::path projector() const { return folder_ / "mmproj-m.gguf"; }

  /// Sets values[index] of an f32 tensor.
  void set(const std::string& name, std::size_t index, float value) const {
    const auto change = [&](std::vector<GgufTensor>& tensors) {
      const auto found = std::ranges::find(tensors, name, &GgufTensor::name);
      ASSERT_NE(found, tensors.end()) << name;
      std::memcpy(found->data.data() + index * sizeof value, &value, sizeof value);
    };
    write_changed_gguf({golden_media(family_) / ("mmproj-" + family_ + ".gguf")}, projector(),
                       {.tensors = change});
  }

  Report check(const Options& options = {}) const { return check_model(model_, options); }

  static const Finding* find(const Report& report, Kind kind) {
    const auto found = std::ranges::find(report.findings, kind, &Finding::kind);
    return found == report.findings.end() ? nullptr : &*found;
  }

  fs::path folder_;
  fs::path model_;
  std::string family_;
};

TEST_F(VerifyTower, TensorsOfTheProjectorFileAreReadToo) {
  take("26b-a4b");
  const Report alone = check();
  EXPECT_EQ(alone.projector, "");
  fs::copy_file(golden_media("26b-a4b") / "mmproj-26b-a4b.gguf", projector());
  const Report report = check();
  EXPECT_EQ(report.projector, projector());
  EXPECT_TRUE(report.good());
  EXPECT_GT(report.n_tensors, alone.n_tensors + 20);
}

TEST_F(VerifyTower, AFactorOfZeroIsWrong) {
  take("26b-a4b");
  set("v.std_scale", 5, 0.0F);
  const Report report = check();
  EXPECT_FALSE(report.good());
  const Finding* finding = find(report, Kind::bad_scale);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->tensor, "v.std_scale");
  EXPECT_EQ(finding->count, 1U);
  EXPECT_EQ(finding->first, (Place{0, 5}));
}

TEST_F(VerifyTower, ANanIsWrong) {
  take("26b-a4b");
  set("v.position_embd.weight", 7, NAN);
  const Report report = check();
  const Finding* finding = find(report, Kind::nan);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::wrong);
  EXPECT_EQ(finding->tensor, "v.position_embd.weight");
}

TEST_F(VerifyTower, BoundsThatLetNothingThroughAreWrong) {
  take("e2b");
  set("v.blk.0.ffn_up.output_min", 0, 1e30F);  // above the upper one
  const Report beside = check();
  const Finding* problem = find(beside, Kind::not_checked);
  ASSERT_NE(problem, nullptr) << "the model itself is sound";
  EXPECT_THAT(problem->text, HasSubstr("clip bounds"));
  Options options;
  options.projector = projector();
  const Report named = check(options);
  EXPECT_FALSE(named.good());
  ASSERT_NE(find(named, Kind::cannot_load), nullptr);
  EXPECT_THAT(find(named, Kind::cannot_load)->text, HasSubstr("clip bounds"));
}

TEST_F(VerifyTower, EqualBoundsAreWrong) {
  take("e2b");
  set("v.blk.0.attn_q.input_min", 0, 0.0F);
  const fs::path once = folder_ / "once.gguf";
  fs::rename(projector(), once);
  const auto change = [&](std::vector<GgufTensor>& tensors) {
    const auto found = std::ranges::find(tensors, "v.blk.0.attn_q.input_max", &GgufTensor::name);
    std::ranges::fill(found->data, std::byte{});
  };
  write_changed_gguf({once}, projector(), {.tensors = change});
  const Report report = check();
  const Finding* finding = find(report, Kind::constant);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::wrong);
  EXPECT_THAT(finding->text, HasSubstr("both clip bounds are 0"));
}

}  // namespace
}  // namespace pleiad::verify
