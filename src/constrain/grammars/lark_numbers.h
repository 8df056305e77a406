#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "constrain/grammars/lark_words.h"

namespace pleiad::constrain::grammars {

/// The numbers that rules of a grammar in Lark have, `rule::N`, of 64 bits: reads what is said of
/// one and works it out for the number of the rule that is read.
class LarkNumbers {
 public:
  /// The words live as long as this.
  explicit LarkNumbers(LarkWords& words) : words_(words) {}

  /// Of the rule that is read; nothing where it has none.
  std::optional<std::uint64_t> own = std::nullopt;

  /// Behind "::": a number, `_`, or a function of the own one. A problem gives 0.
  std::uint64_t read_value();
  /// Behind "%if": whether it is so. A problem gives false.
  bool read_condition(int depth = 0);

 private:
  /// Bits of the own number, from one to before another.
  struct Bits {
    std::uint32_t first = 0;
    std::uint32_t behind = 64;

    std::uint64_t all() const;
    std::uint64_t of(std::uint64_t number) const { return number >> first & all(); }
  };

  /// The own number, where there has to be one.
  std::uint64_t needed();
  /// `_` or [first:behind]
  Bits read_bits();
  std::uint32_t read_bit(std::uint32_t most);
  std::uint64_t read_number();
  /// ([x:y], N) or (_, N)
  bool read_comparison(std::string_view how, bool counts_bits);
  bool read_both(int depth, bool is_and);

  LarkWords& words_;
};

}  // namespace pleiad::constrain::grammars
