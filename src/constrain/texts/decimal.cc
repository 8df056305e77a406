#include "constrain/texts/decimal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace pleiad::constrain {
namespace {

constexpr std::uint32_t kMaxUnits = 10'000'000;
constexpr int kMaxStepDigits = 9;

/// In decimal digits: of what is beyond all fractions each one, as whole numbers are compared;
/// of others those by which the double is known.
std::string decimal(const Json& number) {
  if (!number.is_number_float()) return to_text(number);
  const double value = number.get<double>();
  return std::abs(value) < 0x1p53 ? to_text(number) : fmt::format("{:.0f}", value);
}

}  // namespace

std::optional<Bound> Bound::from(const Json& number, bool exclusive) {
  const std::string text = decimal(number);
  Bound bound{.negative = text[0] == '-', .whole = {}, .fraction = {}, .exclusive = exclusive};
  const std::size_t e = std::min(text.find('e'), text.size());
  int exponent = 0;
  if (e < text.size()) {
    const std::size_t digits = e + 1 + (text[e + 1] == '+' ? 1 : 0);
    std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
  }
  if (exponent > 400 || exponent < -400) return std::nullopt;
  std::string all;  // the digits; the point stands behind the first n_whole
  int n_whole = -1;
  for (const char c : text.substr(bound.negative ? 1 : 0, e - (bound.negative ? 1 : 0))) {
    if (c == '.') {
      n_whole = static_cast<int>(all.size());
    } else {
      all += c;
    }
  }
  n_whole = (n_whole < 0 ? static_cast<int>(all.size()) : n_whole) + exponent;
  if (n_whole < 0) all.insert(0, static_cast<std::size_t>(-n_whole), '0');
  n_whole = std::max(n_whole, 0);
  if (static_cast<std::size_t>(n_whole) > all.size())
    all.resize(static_cast<std::size_t>(n_whole), '0');
  bound.whole = all.substr(0, static_cast<std::size_t>(n_whole));
  bound.fraction = all.substr(static_cast<std::size_t>(n_whole));
  bound.whole.erase(0, std::min(bound.whole.find_first_not_of('0'), bound.whole.size()));
  bound.fraction.erase(bound.fraction.find_last_not_of('0') + 1);
  if (bound.whole.empty()) bound.whole = "0";
  if (bound.is_zero()) bound.negative = false;
  return bound;
}

std::optional<Step> Step::from(const Json& number) {
  const std::optional<Bound> value = number.is_number() ? Bound::from(number, false) : std::nullopt;
  if (!value || value->negative || value->is_zero()) return std::nullopt;
  if (value->fraction.size() > kMaxStepDigits) return std::nullopt;
  Step step{.units = 0, .digits = static_cast<int>(value->fraction.size())};
  for (const char digit : value->whole + value->fraction) {
    step.units = step.units * 10 + static_cast<std::uint32_t>(digit - '0');
    if (step.units > kMaxUnits) return std::nullopt;
  }
  return step;
}

bool Step::divides(const Bound& number) const {
  const auto n_digits = static_cast<std::size_t>(digits);
  if (number.fraction.size() > n_digits) return false;
  std::uint64_t remainder = 0;
  const auto read = [&](char digit) {
    remainder = (remainder * 10 + static_cast<std::uint64_t>(digit - '0')) % units;
  };
  std::ranges::for_each(number.whole + number.fraction, read);
  for (std::size_t i = number.fraction.size(); i < n_digits; ++i) read('0');
  return remainder == 0;
}

std::optional<Step> common_multiple(const Step& one, const Step& other) {
  std::uint64_t left = one.units;
  std::uint64_t right = other.units;
  for (int i = one.digits; i < other.digits; ++i) left *= 10;
  for (int i = other.digits; i < one.digits; ++i) right *= 10;
  if (left > UINT32_MAX || right > UINT32_MAX) return std::nullopt;
  const std::uint64_t units = std::lcm(left, right);
  if (units > kMaxUnits) return std::nullopt;
  return Step{static_cast<std::uint32_t>(units), std::max(one.digits, other.digits)};
}

}  // namespace pleiad::constrain
