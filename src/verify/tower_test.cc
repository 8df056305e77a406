#include "verify/tower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/test_folder.h"
#include "model/testing/changed_projector.h"
#include "model/testing/golden_media.h"
#include "model/testing/golden_sounds.h"
#include "verify/verify.h"

namespace pleiad::verify {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing_support::GgufTensor;
using testing_support::golden_audio;
using testing_support::golden_media;
using testing_support::write_changed_gguf;

/// A tiny model with a projector file beside it, of which a test changes values.
class VerifyTower : public ::testing::Test {
 protected:
  void take(const std::string& family) { take(golden_media(family), family); }
  /// A model that hears.
  void take_audio() { take(golden_audio(), "e2b"); }
  fs::path projector() const { return folder_ / "mmproj-m.gguf"; }

  /// Sets values[index] of an f32 tensor.
  void set(const std::string& name, std::size_t index, float value) const {
    const auto change = [&](std::vector<GgufTensor>& tensors) {
      const auto found = std::ranges::find(tensors, name, &GgufTensor::name);
      ASSERT_NE(found, tensors.end()) << name;
      std::memcpy(found->data.data() + index * sizeof value, &value, sizeof value);
    };
    write_changed_gguf({golden_ / ("mmproj-" + family_ + ".gguf")}, projector(),
                       {.tensors = change});
  }

  /// Sets all values of an f32 tensor of the projector file, which is there, to zero.
  void clear(const std::string& name) const {
    const fs::path once = folder_ / "once.gguf";
    fs::rename(projector(), once);
    const auto change = [&](std::vector<GgufTensor>& tensors) {
      const auto found = std::ranges::find(tensors, name, &GgufTensor::name);
      ASSERT_NE(found, tensors.end()) << name;
      std::ranges::fill(found->data, std::byte{});
    };
    write_changed_gguf({once}, projector(), {.tensors = change});
    fs::remove(once);
  }

  Report check(const Options& options = {}) const { return check_model(model_, options); }

  static const Finding* find(const Report& report, Kind kind) {
    const auto found = std::ranges::find(report.findings, kind, &Finding::kind);
    return found == report.findings.end() ? nullptr : &*found;
  }

  TestFolder folder_;
  fs::path model_;

 private:
  void take(const fs::path& golden, const std::string& family) {
    model_ = folder_ / "m.gguf";
    fs::copy_file(golden / (family + ".gguf"), model_);
    golden_ = golden;
    family_ = family;
  }

  fs::path golden_;
  std::string family_;
};

TEST_F(VerifyTower, TensorsOfTheProjectorFileAreReadToo) {
  take("26b-a4b");
  const Report alone = check();
  EXPECT_TRUE(alone.projectors.empty());
  fs::copy_file(golden_media("26b-a4b") / "mmproj-26b-a4b.gguf", projector());
  const Report report = check();
  EXPECT_EQ(report.projectors, std::vector<std::string>{projector().string()});
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
  for (const auto& [audio, matrix] :
       {std::pair{false, "v.blk.0.attn_q"}, std::pair{true, "a.blk.2.conv_pw1"}}) {
    SCOPED_TRACE(matrix);
    audio ? take_audio() : take("e2b");
    set(std::string(matrix) + ".input_min", 0, 0.0F);
    clear(std::string(matrix) + ".input_max");
    const Report report = check();
    const Finding* finding = find(report, Kind::constant);
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->severity, Severity::wrong);
    EXPECT_THAT(finding->text, HasSubstr("both clip bounds are 0"));
    fs::remove(model_);
    fs::remove(projector());
  }
}

TEST_F(VerifyTower, ASoundOneIsGood) {
  take_audio();
  fs::copy_file(golden_audio() / "mmproj-e2b.gguf", projector());
  const Report both = check();
  EXPECT_THAT(both.findings, ::testing::IsEmpty());
  EXPECT_EQ(both.projectors.size(), 1U);
  // A projector file without a vision tower keeps nobody from hearing.
  fs::copy_file(golden_audio() / "audio-alone.gguf", projector(),
                fs::copy_options::overwrite_existing);
  const Report audio = check();
  EXPECT_THAT(audio.findings, ::testing::IsEmpty());
  EXPECT_EQ(audio.projectors, std::vector<std::string>{projector().string()});
  EXPECT_LT(audio.n_tensors, both.n_tensors);
}

TEST_F(VerifyTower, TensorsOfBothProjectorFilesAreRead) {
  take_audio();
  fs::copy_file(golden_media("e2b") / "mmproj-e2b.gguf", projector());
  const Report eyes = check();
  const fs::path ears = folder_ / "mmproj-sound.gguf";
  fs::copy_file(golden_audio() / "audio-alone.gguf", ears);
  const Report both = check();
  EXPECT_THAT(both.projectors, ::testing::ElementsAre(projector().string(), ears.string()));
  EXPECT_GT(both.n_tensors, eyes.n_tensors + 100);
}

TEST_F(VerifyTower, AScaleOfQueriesOfZeroIsWrong) {
  take_audio();
  set("a.blk.1.per_dim_scale.weight", 3, 0.0F);
  const Report report = check();
  EXPECT_FALSE(report.good());
  const Finding* finding = find(report, Kind::bad_scale);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->tensor, "a.blk.1.per_dim_scale.weight");
  EXPECT_EQ(finding->first, (Place{0, 3}));
}

TEST_F(VerifyTower, AVisionTowerThatCannotBeUsedIsSuspiciousBesideSound) {
  take_audio();
  const auto remove = [](std::vector<GgufTensor>& tensors) {
    ASSERT_EQ(std::erase_if(tensors,
                            [](const GgufTensor& t) { return t.name == "v.blk.0.attn_q.weight"; }),
              1U);
  };
  write_changed_gguf({golden_audio() / "mmproj-e2b.gguf"}, projector(), {.tensors = remove});
  const Report report = check();
  EXPECT_EQ(report.projectors, std::vector<std::string>{projector().string()}) << "it hears";
  const Finding* problem = find(report, Kind::not_checked);
  ASSERT_NE(problem, nullptr);
  EXPECT_THAT(problem->text, HasSubstr("it has no vision tower that can be used: "));
  EXPECT_THAT(problem->text, HasSubstr("'v.blk.0.attn_q.weight' is missing"));
}

TEST_F(VerifyTower, AnAudioTowerThatCannotBeUsedIsSuspicious) {
  take_audio();
  set("a.blk.0.ffn_up.output_min", 0, 1e30F);  // above the upper one
  const Report report = check();
  EXPECT_TRUE(report.good());
  const Finding* problem = find(report, Kind::not_checked);
  ASSERT_NE(problem, nullptr);
  EXPECT_THAT(problem->text, HasSubstr("it has no audio tower that can be used: "));
  EXPECT_THAT(problem->text, HasSubstr("clip bounds"));
}

}  // namespace
}  // namespace pleiad::verify
