#include "constrain/texts/number.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "constrain/texts/residues.h"

namespace pleiad::constrain {
namespace {

// Where bounds ask for no more.
constexpr std::size_t kWholeDigits = 18;
constexpr std::size_t kFractionDigits = 15;
// Whole numbers up to these are read as they are.
constexpr std::string_view kMostSigned = "9223372036854775807";
constexpr std::string_view kMostNegative = "9223372036854775808";
constexpr std::string_view kMostUnsigned = "18446744073709551615";
constexpr std::uint16_t kExponentDigits = 2;  // so that every number is finite
constexpr std::size_t kMaxStates = 50'000;

/// |value| is at least / at most what is bounded.
struct MagnitudeBound {
  Bound bound;
  bool is_lower = true;
};

enum class Phase : std::uint8_t { begin, sign, zero, whole, point, fraction, e, e_sign, exponent };

/// Whose bounds count: those of one sign, or none any more, as all are passed whatever comes.
enum class Side : std::uint8_t { positive, negative, within };

struct Position {
  Phase phase = Phase::begin;
  Side side = Side::positive;
  std::uint16_t n_digits = 0;  // of the part that is being read
  // By magnitude bound: the digits so far against its own, -1, 0 or 1.
  std::array<std::int8_t, 2> order = {0, 0};
  std::uint32_t residue = Residues::kNone;  // in a fraction: what is wanted of the digits to come
  bool is_exact_integer = false;            // it has more digits than a double is sure to hold

  auto operator<=>(const Position&) const = default;
};

/// Whole numbers are multiples of that; of 1 all are, and nothing is asked.
std::optional<Step> step_of(const NumberForm& form) {
  if (!form.step || !form.is_integer) return form.step;
  std::uint64_t one = 1;
  for (int i = 0; i < form.step->digits; ++i) one *= 10;
  const auto units =
      static_cast<std::uint32_t>(form.step->units / std::gcd<std::uint64_t>(form.step->units, one));
  return units == 1 ? std::nullopt : std::optional(Step{.units = units});
}

class NumberReader {
 public:
  explicit NumberReader(const NumberForm& form) : form_(form), step_(step_of(form)) {
    plain_ = !form.minimum && !form.maximum && !form.is_integer && !form.step && form.exponents;
    if (step_) {
      residues_.emplace(*step_);
      most_whole_ = kMostExactDigits;
      counted_fraction_ = static_cast<std::size_t>(step_->digits);
    }
    collect_positive();
    collect_negative();
    if (form.is_integer && !form.any_digits && !step_) reach_64_bits();
    for (const std::vector<MagnitudeBound>& bounds : bounds_) {
      for (const MagnitudeBound& one : bounds) make_room(one);
    }
  }

  template <typename Add>
  void next(const Position& at, const Add& add) {
    switch (at.phase) {
      case Phase::begin:
        if (is_possible(Side::negative))
          add('-', '-', Position{.phase = Phase::sign, .side = Side::negative});
        if (is_possible(Side::positive)) begin_whole(at, add);
        break;
      case Phase::sign:
        begin_whole(at, add);
        break;
      case Phase::zero:
        after_whole(at, add);
        break;
      case Phase::whole:
        if (may_be_longer(at)) digits(at, 0, add);
        after_whole(at, add);
        break;
      case Phase::point:
        digits(at, 0, add);
        break;
      case Phase::fraction:
        if (form_.any_digits || at.n_digits < most_fraction_) digits(at, 0, add);
        exponent(at, add);
        break;
      case Phase::e: {
        const Position sign{.phase = Phase::e_sign, .side = at.side, .order = at.order};
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
    if (at.phase == Phase::exponent) return fits(at.side, at.order);
    if (at.phase == Phase::zero || at.phase == Phase::whole) {
      return (!residues_ || residues_->is_multiple(at.residue)) &&
             fits(at.side, ended(at, end_whole(at), 0));
    }
    return at.phase == Phase::fraction && at.residue == Residues::kNone &&
           fits(at.side, ended(at, at.order, at.n_digits));
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

  /// Whole numbers of each sign go up to their bound where 64 bits hold that, or else to the last
  /// one that 64 bits with a sign hold; but for those that have to be as long.
  void reach_64_bits() {
    for (const Side side : {Side::positive, Side::negative}) {
      std::vector<MagnitudeBound>& bounds = bounds_[static_cast<std::size_t>(side)];
      const auto most = std::ranges::find(bounds, false, &MagnitudeBound::is_lower);
      const bool is_held =
          most != bounds.end() &&
          !is_beyond(most->bound, side == Side::positive ? kMostUnsigned : kMostNegative);
      const bool is_long = std::ranges::any_of(bounds, [](const MagnitudeBound& one) {
        return one.is_lower && one.bound.whole.size() >= kMostSigned.size();
      });
      if (!is_possible(side) || (is_long && !is_held)) continue;
      if (!is_held) {
        if (most != bounds.end()) bounds.erase(most);
        const Bound last{.negative = false, .whole = std::string(kMostSigned), .fraction = {}};
        bounds.push_back({last, false});
      }
      const std::size_t length = bounds.back().bound.whole.size();
      most_whole_ = std::max(most_whole_, length);
      most_integer_digits_ = std::max(most_integer_digits_, length);
    }
  }

  static bool is_beyond(const Bound& bound, std::string_view most) {
    return bound.whole.size() > most.size() ||
           (bound.whole.size() == most.size() && bound.whole > most);
  }

  bool is_possible(Side side) const { return possible_[static_cast<std::size_t>(side)]; }

  /// For digits with which a number is beyond the least magnitude, or between two that are small.
  void make_room(const MagnitudeBound& one) {
    const std::size_t n_whole = one.bound.whole.size();
    const std::size_t n_fraction = one.bound.fraction.size();
    const std::size_t beyond = one.bound.exclusive ? 1 : 0;
    if (one.is_lower) most_whole_ = std::max(most_whole_, n_whole + (step_ ? 1 : beyond));
    most_fraction_ = std::max(most_fraction_, n_fraction + beyond);
    counted_whole_ = std::max(counted_whole_, n_whole);
    counted_fraction_ = std::max(counted_fraction_, n_fraction);
  }

  template <typename Add>
  void begin_whole(const Position& at, const Add& add) {
    Position zero = at;
    zero.phase = Phase::zero;
    zero.n_digits = 1;
    zero.order = compared(at, 0, 0, true);
    add('0', '0', zero);
    Position whole = at;
    whole.phase = Phase::whole;
    digits(whole, 1, add);
  }

  bool may_be_longer(const Position& whole) const {
    return form_.any_digits || (whole.n_digits < most_whole_ &&
                                (whole.n_digits < most_integer_digits_ || !whole.is_exact_integer));
  }

  /// One more digit of the part. Those that lead to the same are read alike.
  template <typename Add>
  void digits(const Position& at, std::uint32_t first, const Add& add) {
    std::optional<Position> before;
    for (std::uint32_t digit = first; digit <= 10; ++digit) {
      std::optional<Position> next;
      if (digit < 10) next = at.phase == Phase::whole ? longer(at, digit) : finer(at, digit);
      if (next == before) continue;
      if (before) add(symbol_of_digit(first), symbol_of_digit(digit - 1), *before);
      before = next;
      first = digit;
    }
  }

  static Symbol symbol_of_digit(std::uint32_t digit) {
    return symbol_of(static_cast<char>('0' + digit));
  }

  /// Behind one more digit of the whole part.
  std::optional<Position> longer(const Position& at, std::uint32_t digit) {
    Position next = at;
    next.order = compared(at, at.n_digits, digit, true);
    next.n_digits = static_cast<std::uint16_t>(at.n_digits + 1);
    if (form_.any_digits) {
      next.n_digits = std::min(next.n_digits, static_cast<std::uint16_t>(counted_whole_ + 1));
    } else if (most_whole_ > most_integer_digits_) {
      next.is_exact_integer |= digit != 0 && at.n_digits >= kMostExactDigits;
      if (next.is_exact_integer && next.n_digits > most_integer_digits_) return std::nullopt;
    }
    if (residues_) next.residue = residues_->next(at.residue, digit);
    return settle(next);
  }

  /// Behind one more digit of the fraction.
  std::optional<Position> finer(const Position& at, std::uint32_t digit) {
    Position next = at;
    next.phase = Phase::fraction;
    next.order = compared(at, at.n_digits, digit, false);
    next.n_digits = static_cast<std::uint16_t>(at.n_digits + 1);
    if (form_.any_digits) {
      next.n_digits = std::min(next.n_digits, static_cast<std::uint16_t>(counted_fraction_ + 1));
    }
    if (residues_) {
      const auto wanted = residues_->wanted_behind(at.residue, at.n_digits, digit);
      if (!wanted) return std::nullopt;
      next.residue = *wanted;
    }
    return settle(next);
  }

  template <typename Add>
  void after_whole(const Position& at, const Add& add) {
    if (form_.is_integer) return;
    const auto n_fraction = static_cast<std::size_t>(step_ ? step_->digits : 0);
    if (step_ && !form_.any_digits && at.n_digits + n_fraction > kMostExactDigits) return;
    Position point{.phase = Phase::point, .side = at.side, .order = end_whole(at)};
    const auto wanted =
        residues_ ? residues_->wanted_fraction(at.residue) : std::optional(Residues::kNone);
    if (wanted) {
      point.residue = *wanted;
      if (const auto settled = settle(point)) add('.', '.', *settled);
    }
    exponent(at, add);
  }

  template <typename Add>
  void exponent(const Position& at, const Add& add) const {
    if (!plain_) return;
    const Orders order = at.phase == Phase::fraction ? ended(at, at.order, at.n_digits)
                                                     : ended(at, end_whole(at), 0);
    const Position e{.phase = Phase::e, .side = at.side, .order = order};
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

  const std::vector<MagnitudeBound>& bounds(Side side) const {
    return bounds_[static_cast<std::size_t>(side)];
  }

  std::size_t n_bounds(Side side) const { return std::min(bounds(side).size(), Orders().size()); }

  Orders compared(const Position& at, std::size_t index, std::uint32_t digit, bool is_whole) const {
    Orders order = at.order;
    for (std::size_t i = 0; i < n_bounds(at.side); ++i) {
      const Bound& bound = bounds(at.side)[i].bound;
      const std::string& part = is_whole ? bound.whole : bound.fraction;
      if (order[i] != 0 || (is_whole && index >= part.size())) continue;
      const auto other = index < part.size() ? static_cast<std::uint32_t>(part[index] - '0') : 0;
      order[i] = static_cast<std::int8_t>(digit < other ? -1 : digit > other ? 1 : 0);
    }
    return order;
  }

  /// What is on one side of a bound whatever comes is so in one way, and where that is so of all
  /// bounds there are none any more. Nothing where it is on the wrong side.
  std::optional<Position> settle(Position at) const {
    bool is_within = true;
    for (std::size_t i = 0; i < n_bounds(at.side); ++i) {
      const MagnitudeBound& bound = bounds(at.side)[i];
      std::int8_t& order = at.order[i];
      std::int8_t sure = order;
      if (at.phase == Phase::whole) {
        const std::size_t length = bound.bound.whole.size();
        if (at.n_digits > length) order = 1;
        sure = at.n_digits > length || (at.n_digits == length && order > 0) ? 1 : 0;
      }
      if (sure != 0 && (sure < 0) == bound.is_lower) return std::nullopt;
      is_within = is_within && sure != 0;
    }
    if (is_within) {
      at.side = Side::within;
      at.order = {};
    }
    return at;
  }

  /// The whole part is over: the longer one is the greater.
  Orders end_whole(const Position& at) const {
    Orders order = at.order;
    for (std::size_t i = 0; i < n_bounds(at.side); ++i) {
      const std::size_t length = bounds(at.side)[i].bound.whole.size();
      if (at.n_digits != length) order[i] = at.n_digits < length ? -1 : 1;
    }
    return order;
  }

  /// The number is over: what the bound has left makes it the greater.
  Orders ended(const Position& at, Orders order, std::size_t n_fraction) const {
    for (std::size_t i = 0; i < n_bounds(at.side); ++i) {
      if (order[i] == 0 && n_fraction < bounds(at.side)[i].bound.fraction.size()) order[i] = -1;
    }
    return order;
  }

  bool fits(Side side, const Orders& order) const {
    for (std::size_t i = 0; i < n_bounds(side); ++i) {
      const MagnitudeBound& bound = bounds(side)[i];
      if (order[i] == 0 ? bound.bound.exclusive : (order[i] < 0) == bound.is_lower) return false;
    }
    return true;
  }

  const NumberForm& form_;
  std::optional<Step> step_;
  std::optional<Residues> residues_;  // of the step
  bool plain_ = false;
  std::size_t most_whole_ = kWholeDigits;
  std::size_t most_integer_digits_ = kMostSigned.size();  // of whole numbers read as they are
  std::size_t most_fraction_ = kFractionDigits;
  // Of digits behind these it does not matter which one it is: longer is greater, more than 0 too.
  std::size_t counted_whole_ = 0;
  std::size_t counted_fraction_ = 0;
  std::array<std::vector<MagnitudeBound>, 3> bounds_;  // by side
  std::array<bool, 2> possible_ = {true, true};        // of positive and negative numbers
};

}  // namespace

Result<Dfa> number_dfa(const NumberForm& form) {
  NumberReader reader(form);
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
