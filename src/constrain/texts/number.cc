#include "constrain/texts/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <numeric>

#include <fmt/format.h>

namespace pleiad::constrain {
namespace {

// Where bounds ask for no more.
constexpr std::size_t kWholeDigits = 18;
constexpr std::size_t kFractionDigits = 15;
// Whole numbers of so many are read as they are; longer ones as doubles.
constexpr std::size_t kMostIntegerDigits = 19;
constexpr std::uint16_t kExponentDigits = 2;  // so that every number is finite
constexpr std::size_t kMaxStates = 50'000;
constexpr std::uint32_t kMaxUnits = 10'000'000;
constexpr int kMaxStepDigits = 9;

/// |value| is at least / at most what is bounded.
struct MagnitudeBound {
  Bound bound;
  bool is_lower = true;
};

enum class Phase : std::uint8_t { begin, sign, zero, whole, point, fraction, e, e_sign, exponent };

struct Position {
  Phase phase = Phase::begin;
  bool negative = false;
  std::uint16_t n_digits = 0;  // of the part that is being read
  // By magnitude bound: the digits so far against its own, -1, 0 or 1.
  std::array<std::int8_t, 2> order = {0, 0};
  std::uint32_t remainder = 0;
  bool is_exact_integer = false;  // it has more digits than a double is sure to hold

  auto operator<=>(const Position&) const = default;
};

class NumberReader {
 public:
  explicit NumberReader(const NumberForm& form) : form_(form) {
    plain_ = !form.minimum && !form.maximum && !form.is_integer && !form.step && form.exponents;
    collect_positive();
    collect_negative();
    for (const std::vector<MagnitudeBound>& bounds : bounds_) {
      for (const MagnitudeBound& one : bounds) make_room(one);
    }
  }

  template <typename Add>
  void next(const Position& at, const Add& add) const {
    switch (at.phase) {
      case Phase::begin:
        if (possible_[1]) add('-', '-', Position{.phase = Phase::sign, .negative = true});
        if (possible_[0]) begin_whole(at, add);
        break;
      case Phase::sign:
        begin_whole(at, add);
        break;
      case Phase::zero:
        after_whole(at, add);
        break;
      case Phase::whole:
        if (may_be_longer(at)) digits(at, '0', add);
        after_whole(at, add);
        break;
      case Phase::point:
        digits(at, '0', add);
        break;
      case Phase::fraction:
        if (at.n_digits < most_fraction_) digits(at, '0', add);
        exponent(at, add);
        break;
      case Phase::e: {
        const Position sign{.phase = Phase::e_sign, .negative = at.negative, .order = at.order};
        add('+', '+', sign);
        add('-', '-', sign);
        exponent_digits(at, add);
        break;
      }
      case Phase::e_sign:
        exponent_digits(at, add);
        break;
      case Phase::exponent:
        if (at.n_digits < kExponentDigits) exponent_digits(at, add);
        break;
    }
  }

  bool accepts(const Position& at) const {
    if (at.phase == Phase::exponent) return fits(at.negative, at.order);
    if (at.phase == Phase::zero || at.phase == Phase::whole) {
      return is_multiple(at.remainder, 0) && fits(at.negative, ended(at, end_whole(at), 0));
    }
    return at.phase == Phase::fraction && is_multiple(at.remainder, at.n_digits) &&
           fits(at.negative, ended(at, at.order, at.n_digits));
  }

 private:
  using Orders = std::array<std::int8_t, 2>;

  /// The bounds on the magnitudes of numbers of one sign.
  void collect_positive() {
    const std::optional<Bound>& minimum = form_.minimum;
    const std::optional<Bound>& maximum = form_.maximum;
    if (minimum && !minimum->negative) bounds_[0].push_back({*minimum, true});
    if (maximum && maximum->negative) possible_[0] = false;
    if (maximum && !maximum->negative) bounds_[0].push_back({*maximum, false});
  }
  void collect_negative() {
    const Bound zero{.negative = false, .whole = "0", .fraction = {}, .exclusive = true};
    const bool below_zero = form_.maximum && form_.maximum->negative;
    bounds_[1].push_back({below_zero ? *form_.maximum : zero, true});  // there is no -0
    if (form_.minimum && !form_.minimum->negative) possible_[1] = false;
    if (form_.minimum && form_.minimum->negative) bounds_[1].push_back({*form_.minimum, false});
  }

  /// For digits with which a number is beyond the least magnitude, or between two that are small.
  void make_room(const MagnitudeBound& one) {
    const std::size_t beyond = one.bound.exclusive ? 1 : 0;
    if (one.is_lower) most_whole_ = std::max(most_whole_, one.bound.whole.size() + beyond);
    most_fraction_ = std::max(most_fraction_, one.bound.fraction.size() + beyond);
  }

  template <typename Add>
  void begin_whole(const Position& at, const Add& add) const {
    Position zero = at;
    zero.phase = Phase::zero;
    zero.n_digits = 1;
    zero.order = compared(at, 0, '0', true);
    add('0', '0', zero);
    Position whole = at;
    whole.phase = Phase::whole;
    digits(whole, '1', add);
  }

  bool may_be_longer(const Position& whole) const {
    return whole.n_digits < most_whole_ &&
           (whole.n_digits < kMostIntegerDigits || !whole.is_exact_integer);
  }

  /// One more digit of the part.
  template <typename Add>
  void digits(const Position& at, char first, const Add& add) const {
    const bool is_whole = at.phase == Phase::whole;
    // Behind the digits of the step there are zeros alone.
    const bool is_beyond = form_.step && !is_whole && at.n_digits >= form_.step->digits;
    for (char digit = first; digit <= (is_beyond ? '0' : '9'); ++digit) {
      Position next = at;
      next.phase = is_whole ? Phase::whole : Phase::fraction;
      next.order = compared(at, at.n_digits, digit, is_whole);
      next.n_digits = static_cast<std::uint16_t>(at.n_digits + 1);
      if (is_whole && most_whole_ > kMostIntegerDigits) {
        next.is_exact_integer |= digit != '0' && at.n_digits >= kMostExactDigits;
        if (next.is_exact_integer && next.n_digits > kMostIntegerDigits) continue;
      }
      if (form_.step && !is_beyond) {
        next.remainder =
            (at.remainder * 10 + static_cast<std::uint32_t>(digit - '0')) % form_.step->units;
      }
      add(symbol_of(digit), symbol_of(digit), next);
    }
  }

  template <typename Add>
  void after_whole(const Position& at, const Add& add) const {
    if (form_.is_integer) return;
    const bool is_exact = !form_.step || at.n_digits + form_.step->digits <= kMostExactDigits;
    if (!is_exact) return;
    const Position point{.phase = Phase::point,
                         .negative = at.negative,
                         .order = end_whole(at),
                         .remainder = at.remainder};
    add('.', '.', point);
    exponent(at, add);
  }

  template <typename Add>
  void exponent(const Position& at, const Add& add) const {
    if (!plain_) return;
    const Orders order = at.phase == Phase::fraction ? ended(at, at.order, at.n_digits)
                                                     : ended(at, end_whole(at), 0);
    const Position e{.phase = Phase::e, .negative = at.negative, .order = order};
    add('E', 'E', e);
    add('e', 'e', e);
  }

  template <typename Add>
  void exponent_digits(const Position& at, const Add& add) const {
    Position next = at;
    next.phase = Phase::exponent;
    next.n_digits = static_cast<std::uint16_t>(at.phase == Phase::exponent ? at.n_digits + 1 : 1);
    add('0', '9', next);
  }

  /// Of a number that ends after so many digits of its fraction.
  bool is_multiple(std::uint32_t remainder, int n_fraction) const {
    if (!form_.step) return true;
    std::uint64_t left = remainder;
    for (int i = n_fraction; i < form_.step->digits; ++i) left = left * 10 % form_.step->units;
    return left == 0;
  }

  const std::vector<MagnitudeBound>& bounds(bool negative) const {
    return bounds_[negative ? 1 : 0];
  }

  std::size_t n_bounds(bool negative) const {
    return std::min(bounds(negative).size(), Orders().size());
  }

  Orders compared(const Position& at, std::size_t index, char digit, bool is_whole) const {
    Orders order = at.order;
    for (std::size_t i = 0; i < n_bounds(at.negative); ++i) {
      const Bound& bound = bounds(at.negative)[i].bound;
      const std::string& part = is_whole ? bound.whole : bound.fraction;
      if (order[i] != 0 || (is_whole && index >= part.size())) continue;
      const char other = index < part.size() ? part[index] : '0';
      order[i] = static_cast<std::int8_t>(digit < other ? -1 : digit > other ? 1 : 0);
    }
    return order;
  }

  /// The whole part is over: the longer one is the greater.
  Orders end_whole(const Position& at) const {
    Orders order = at.order;
    for (std::size_t i = 0; i < n_bounds(at.negative); ++i) {
      const std::size_t length = bounds(at.negative)[i].bound.whole.size();
      if (at.n_digits != length) order[i] = at.n_digits < length ? -1 : 1;
    }
    return order;
  }

  /// The number is over: what the bound has left makes it the greater.
  Orders ended(const Position& at, Orders order, std::size_t n_fraction) const {
    for (std::size_t i = 0; i < n_bounds(at.negative); ++i) {
      if (order[i] == 0 && n_fraction < bounds(at.negative)[i].bound.fraction.size()) order[i] = -1;
    }
    return order;
  }

  bool fits(bool negative, const Orders& order) const {
    for (std::size_t i = 0; i < n_bounds(negative); ++i) {
      const MagnitudeBound& bound = bounds(negative)[i];
      if (order[i] == 0 ? bound.bound.exclusive : (order[i] < 0) == bound.is_lower) return false;
    }
    return true;
  }

  const NumberForm& form_;
  bool plain_ = false;
  std::size_t most_whole_ = kWholeDigits;
  std::size_t most_fraction_ = kFractionDigits;
  std::array<std::vector<MagnitudeBound>, 2> bounds_;  // of positive and negative numbers
  std::array<bool, 2> possible_ = {true, true};
};

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

Result<Dfa> number_dfa(const NumberForm& form) {
  const NumberReader reader(form);
  const auto next = [&](const Position& at, const auto& add) { reader.next(at, add); };
  const auto accepts = [&](const Position& at) { return reader.accepts(at); };
  std::optional<Dfa> dfa = explore(Position{}, next, accepts, kMaxStates);
  if (!dfa) return Failure{"the bounds and multipleOf together are too large"};
  return std::move(*dfa);
}

namespace {

/// Whole numbers of any length, others of so many digits that no two are one double.
/// `one_spelling`: without zeros at the end of a fraction.
Dfa numbers_of_doubles(bool one_spelling) {
  enum class At : std::uint8_t { begin, sign, zero, whole, point, fraction };
  struct Place {
    At at = At::begin;
    int n_digits = 0;  // as far as they count
    bool ends_in_zero = false;

    auto operator<=>(const Place&) const = default;
  };
  const auto next = [&](const Place& from, const auto& add) {
    const int n = std::min(from.n_digits + 1, kMostExactDigits + 1);
    if (from.at == At::begin) add('-', '-', Place{At::sign});
    if (from.at == At::begin || from.at == At::sign) {
      add('0', '0', Place{At::zero, n});
      add('1', '9', Place{At::whole, n});
    }
    if (from.at == At::whole) add('0', '9', Place{At::whole, n});
    if ((from.at == At::zero || from.at == At::whole) && n <= kMostExactDigits) {
      add('.', '.', Place{At::point, from.n_digits});
    }
    if ((from.at == At::point || from.at == At::fraction) && n <= kMostExactDigits) {
      add('0', '0', Place{At::fraction, n, one_spelling});
      add('1', '9', Place{At::fraction, n});
    }
  };
  const auto accepts = [](const Place& at) {
    return at.at == At::zero || at.at == At::whole || (at.at == At::fraction && !at.ends_in_zero);
  };
  return *explore(Place{}, next, accepts, kMaxStates);
}

}  // namespace

Dfa distinct_numbers() { return numbers_of_doubles(true); }

Dfa exact_numbers() { return numbers_of_doubles(false); }

}  // namespace pleiad::constrain
