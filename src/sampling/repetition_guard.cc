#include "sampling/repetition_guard.h"

#include <algorithm>

namespace pleiad::sampling {
namespace {

using Kind = RepetitionGuard::Kind;

constexpr std::int32_t kBlankSymbol = -1;

std::int32_t symbol_of(std::int32_t token, Kind kind) {
  if (kind == Kind::blank) return kBlankSymbol;
  return token * 2 + (kind == Kind::word ? 1 : 0);
}

bool is_word(std::int32_t symbol) { return symbol != kBlankSymbol && (symbol & 1) != 0; }

std::int64_t least_length(std::int64_t period, bool is_early, std::int32_t last_symbol) {
  if (period == 1 && last_symbol == kBlankSymbol) return RepetitionGuard::kLeastBlank;
  return (is_early ? RepetitionGuard::kLeast : RepetitionGuard::kLeastWithoutWords) + 4 * period;
}

}  // namespace

bool RepetitionGuard::push(std::int32_t token, Kind kind) {
  if (found_) return false;
  if (std::ssize(recent_) == 2 * kWindow) {
    recent_.erase(recent_.begin(), recent_.begin() + kWindow);
  }
  recent_.push_back(symbol_of(token, kind));
  if (++n_ % kEvery == 0 && n_ >= kLeastBlank) look();
  return !found_;
}

void RepetitionGuard::reset() {
  recent_.clear();
  n_ = 0;
  found_.reset();
}

// Backwards the text begins with its last token. Where it and itself without its first p tokens
// begin with k equal ones, its first p + k have the period p.
void RepetitionGuard::look() {
  const std::int64_t n = std::ssize(recent_);
  const auto at = [&](std::int64_t i) { return recent_[static_cast<std::size_t>(n - 1 - i)]; };
  common_.resize(static_cast<std::size_t>(kLongestPeriod) + 1);
  bool words = false;
  std::int64_t left = 0;  // [left, right) begins as the text does, and right is the farthest
  std::int64_t right = 0;
  for (std::int64_t period = 1; period <= std::min(kLongestPeriod, n - 1); ++period) {
    words = words || is_word(at(period - 1));
    std::int64_t equal = 0;
    if (period < right) {
      equal = std::min(right - period, common_[static_cast<std::size_t>(period - left)]);
    }
    while (period + equal < n && at(equal) == at(period + equal)) ++equal;
    common_[static_cast<std::size_t>(period)] = equal;
    if (period + equal > right) {
      left = period;
      right = period + equal;
    }
    const bool is_early = !is_patient_ && (words || period == 1);
    if (period + equal >= least_length(period, is_early, at(0))) {
      found_ = {period, period + equal};
      return;
    }
  }
}

}  // namespace pleiad::sampling
