#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace pleiad::constrain {

/// Whether a value is valid.
enum class Verdict : std::uint8_t { no, unknown, yes };

inline Verdict verdict(bool holds) { return holds ? Verdict::yes : Verdict::no; }

inline Verdict negated(Verdict verdict) {
  if (verdict == Verdict::unknown) return verdict;
  return verdict == Verdict::no ? Verdict::yes : Verdict::no;
}

/// At least that it is not known.
inline Verdict maybe(Verdict verdict) { return std::max(verdict, Verdict::unknown); }

/// `ask`: the verdict on a part of the range.
template <typename Range, typename Ask>
Verdict all_of(const Range& range, const Ask& ask) {
  Verdict out = Verdict::yes;
  for (const auto& part : range) {
    out = std::min(out, ask(part));
    if (out == Verdict::no) break;
  }
  return out;
}

template <typename Range, typename Ask>
Verdict any_of(const Range& range, const Ask& ask) {
  Verdict out = Verdict::no;
  for (const auto& part : range) {
    out = std::max(out, ask(part));
    if (out == Verdict::yes) break;
  }
  return out;
}

/// Of so many things some that hold, and some that may hold.
struct Counted {
  std::size_t n_yes = 0;
  std::size_t n_unknown = 0;

  void add(Verdict found) {
    if (found == Verdict::yes) ++n_yes;
    if (found == Verdict::unknown) ++n_unknown;
  }
  Verdict at_least(double n) const {
    if (static_cast<double>(n_yes) >= n) return Verdict::yes;
    return static_cast<double>(n_yes + n_unknown) >= n ? Verdict::unknown : Verdict::no;
  }
  Verdict at_most(double n) const { return negated(at_least(n + 1)); }
};

template <typename Range, typename Ask>
Counted count(const Range& range, const Ask& ask) {
  Counted out;
  for (const auto& part : range) out.add(ask(part));
  return out;
}

}  // namespace pleiad::constrain
