#include "pull/source.h"

#include <limits>

namespace pleiad::pull {
namespace {

/// Sizes are what a host says: a sum that is too large stays the largest number.
std::uint64_t sum_of(const std::vector<OfferedFile>& files, std::uint64_t OfferedFile::*part) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t sum = 0;
  for (const OfferedFile& file : files) {
    sum = file.*part > kLargest - sum ? kLargest : sum + file.*part;
  }
  return sum;
}

}  // namespace

std::uint64_t Offer::bytes() const { return sum_of(files, &OfferedFile::bytes); }

std::uint64_t Offer::at_hand() const { return sum_of(files, &OfferedFile::at_hand); }

}  // namespace pleiad::pull
