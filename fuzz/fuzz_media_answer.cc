// Any bytes at all, as what a helper says that a hostile picture took over. Whatever is wrong must
// be told as such; a picture that is accepted must be one that such a question leads to, and no
// room is ever made for more than the largest of these.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "media/budget.h"
#include "media/helper/answer.h"

namespace {

using namespace pleiad::media;

constexpr std::size_t kLargest = std::size_t{1120} * 48 * 48 * 3;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Reads from the bytes; where they are pixels it makes some up, since nobody reads them.
class Helper {
 public:
  explicit Helper(std::span<const std::uint8_t> said) : said_(said) {}

  bool operator()(std::span<std::byte> into) {
    require(into.size() <= kLargest);
    if (into.size() > kMaxMessageText) return !said_.empty();
    if (into.size() > said_.size()) return false;
    std::memcpy(into.data(), said_.data(), into.size());
    said_ = said_.subspan(into.size());
    return true;
  }

 private:
  std::span<const std::uint8_t> said_;
};

void judge(const PreparedPicture& picture, const PictureOptions& options,
           const DecodeLimits& limits) {
  const PictureSize original = picture.original;
  require(original.width > 0 && original.height > 0 && original.width <= limits.max_side &&
          original.height <= limits.max_side);
  require(static_cast<std::uint64_t>(original.width) *
              static_cast<std::uint64_t>(original.height) <=
          limits.max_pixels);
  const PictureSize size = picture.pixels.size;
  require(size == target_size(original, picture.budget));
  require(!options.budget || picture.budget == *options.budget);
  require(std::find(kBudgets.begin(), kBudgets.end(), picture.budget) != kBudgets.end());
  require(picture.n_soft_tokens == soft_tokens(size) && picture.n_soft_tokens <= picture.budget);
  require(picture.pixels.rgb.size() ==
          static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 3);
}

void judge(const pleiad::Failure& failure) {
  require(!failure.message.empty());
  for (const char c : failure.message) require(static_cast<unsigned char>(c) >= ' ' && c != '\x7f');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t choice = data[0];
  const std::span<const std::uint8_t> said(data + 1, size - 1);
  PictureOptions options;
  if (choice % 6 < kBudgets.size()) options.budget = kBudgets[choice % 6];
  DecodeLimits limits;
  if (choice & 0x40) limits.max_pixels = 10'000;
  const auto answer = read_answer(Helper(said), options, limits);
  if (const auto* picture = std::get_if<PreparedPicture>(&answer)) judge(*picture, options, limits);
  if (const auto* failure = std::get_if<pleiad::Failure>(&answer)) judge(*failure);
  const auto ready = read_ready(Helper(said));
  if (const auto* failure = std::get_if<pleiad::Failure>(&ready)) judge(*failure);
  return 0;
}
