#include "pull/source.h"

namespace pleiad::pull {

std::uint64_t Offer::bytes() const {
  std::uint64_t sum = 0;
  for (const OfferedFile& file : files) sum += file.bytes;
  return sum;
}

std::uint64_t Offer::at_hand() const {
  std::uint64_t sum = 0;
  for (const OfferedFile& file : files) sum += file.at_hand;
  return sum;
}

}  // namespace pleiad::pull
