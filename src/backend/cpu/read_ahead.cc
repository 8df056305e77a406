#include "backend/cpu/read_ahead.h"

namespace pleiad::cpu {
namespace {

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kPiece = 16 * kLine;
// Little enough to stay in a second-level cache beside the activations.
constexpr std::int64_t kMost = 256 << 10;

}  // namespace

bool ReadAhead::advance(int thread) {
  Progress& progress = threads_[static_cast<std::size_t>(thread)];
  const Product* product = following_.load(std::memory_order_relaxed);
  if (product != progress.of) progress = {product, 0};
  if (!product || progress.done >= kMost) return false;
  const std::byte* start =
      product->starts_[static_cast<std::size_t>(thread)].load(std::memory_order_relaxed);
  if (!start) return false;
  constexpr int kIntoSecondLevel = 2;
  for (std::int64_t line = 0; line < kPiece; line += kLine) {
    __builtin_prefetch(start + progress.done + line, 0, kIntoSecondLevel);
  }
  progress.done += kPiece;
  return true;
}

}  // namespace pleiad::cpu
