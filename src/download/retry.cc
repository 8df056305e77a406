#include "download/retry.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <span>
#include <thread>

#include "base/clock.h"
#include "base/random_bytes.h"
#include "download/response_headers.h"

namespace pleiad::download {
namespace {

std::uint32_t random_seed() {
  std::uint32_t seed = 0;
  fill_random(std::as_writable_bytes(std::span(&seed, 1)));
  return seed;
}

}  // namespace

bool is_temporary(int status) {
  constexpr std::array kTemporary = {408, 429, 500, 502, 503, 504};
  return std::ranges::find(kTemporary, status) != kTemporary.end();
}

Backoff::Backoff(const RetryPolicy& policy) : policy_(policy), chance_(random_seed()) {}

double Backoff::wait_after(int n_failures) {
  const double whole =
      std::min(policy_.longest_wait, std::ldexp(policy_.first_wait, std::min(n_failures - 1, 30)));
  return whole * std::uniform_real_distribution(0.5, 1.0)(chance_);
}

std::optional<double> Backoff::wait_after(int n_failures, std::string_view retry_after) {
  const double own = wait_after(n_failures);
  const auto asked = parse_retry_after(retry_after, static_cast<double>(std::time(nullptr)));
  if (asked && *asked > policy_.longest_asked) return std::nullopt;
  return std::max(own, asked.value_or(0));
}

bool wait_for(double seconds, const Stop& stop) {
  constexpr double kAskEvery = 0.05;
  const double end = monotonic_seconds() + seconds;
  for (;;) {
    if (stop && stop()) return false;
    const double left = end - monotonic_seconds();
    if (left <= 0) return true;
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, kAskEvery)));
  }
}

}  // namespace pleiad::download
