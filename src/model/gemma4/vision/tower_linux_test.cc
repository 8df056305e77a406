#include <gtest/gtest.h>
#include <sys/resource.h>

#include "model/testing/encoder_testing.h"
#include "model/testing/golden_media.h"

namespace pleiad::gemma4 {
namespace {

using testing_support::golden_media;
using testing_support::pattern_picture;
using testing_support::VisionRunner;

long page_faults() {
  rusage usage = {};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

// Whoever encodes in parts between other things does not wait for the memory of all of them.
TEST(VisionTower, BeginsWithoutTakingItsMemory) {
  VisionRunner runner(golden_media("e2b"));
  const PictureInput picture = pattern_picture(126 * 16, 75 * 16, 0);
  const auto pages = static_cast<long>(runner.encoder().encoding_bytes(126 * 75) / 4096);
  (void)runner.encoder().begin(picture);  // what is taken once and for all
  const long before = page_faults();
  const auto encoding = runner.encoder().begin(picture);
  const long begun = page_faults() - before;
  EXPECT_LT(begun, pages / 20);
  for (int i = 0; i < 8; ++i) encoding->advance(512);
  EXPECT_GT(page_faults() - before, begun) << "page faults are counted";
}

}  // namespace
}  // namespace pleiad::gemma4
