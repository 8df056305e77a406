#include "base/os/resident_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace pleiad::os {
namespace {

constexpr std::size_t kRegionBytes = std::size_t{64} << 20;

/// Memory of the system's own, touched: what an allocator keeps back (a
/// sanitizer's does so for long) would stay resident after it was freed.
class Touched {
 public:
  Touched()
      : data_(mmap(nullptr, kRegionBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                   0)) {
    if (data_ != MAP_FAILED) std::memset(data_, 1, kRegionBytes);
  }
  ~Touched() {
    if (data_ != MAP_FAILED) munmap(data_, kRegionBytes);
  }
  Touched(const Touched&) = delete;
  Touched& operator=(const Touched&) = delete;

 private:
  void* data_;
};

}  // namespace

TEST(ResidentMemory, ThePeakIsOfWhatFollows) {
  { const Touched before; }
  const auto first = peak_resident_bytes();
  if (!first) GTEST_SKIP() << "the system does not tell";
  EXPECT_GT(*first, kRegionBytes);
  if (!reset_peak_resident()) GTEST_SKIP() << "the system does not forget";
  const auto forgotten = peak_resident_bytes().value();
  EXPECT_LT(forgotten, *first - kRegionBytes / 2);
  const Touched after;
  EXPECT_GE(peak_resident_bytes().value(), forgotten + kRegionBytes / 2);
}

}  // namespace pleiad::os
