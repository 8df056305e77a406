#include "constrain/grammars/lark_numbers.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <string>

#include "base/text_format.h"
#include "constrain/grammars/grammar_tree.h"

namespace pleiad::constrain::grammars {
namespace {

constexpr std::uint32_t kNumberBits = 64;

bool compares(std::string_view how, std::uint64_t left, std::uint64_t right) {
  if (how == "eq") return left == right;
  if (how == "ne") return left != right;
  if (how == "lt") return left < right;
  if (how == "le") return left <= right;
  return how == "gt" ? left > right : left >= right;
}

bool is_comparison(std::string_view name) {
  return name == "eq" || name == "ne" || name == "lt" || name == "le" || name == "gt" ||
         name == "ge";
}

}  // namespace

std::uint64_t LarkNumbers::Bits::all() const {
  const std::uint32_t n = behind - first;
  return n == kNumberBits ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

std::uint64_t LarkNumbers::needed() {
  if (own) return *own;
  words_.fail("this asks about the number of a rule, and this rule has none (name::_)");
  return 0;
}

std::uint64_t LarkNumbers::read_value() {
  if (words_.is(LarkWord::Kind::number)) return read_number();
  const std::uint64_t number =
      words_.is_sign("_") || words_.is(LarkWord::Kind::rule) ? needed() : 0;
  if (words_.take_sign("_")) return number;
  const LarkWord name = words_.next();
  if (name.kind != LarkWord::Kind::rule) {
    words_.fail(
        fmt::format("expected a number, '_' or a function of it, found {}", words_.found()));
    return 0;
  }
  const bool is_bit = name.text == "set_bit" || name.text == "clear_bit";
  const bool is_mask = name.text == "bit_and" || name.text == "bit_or";
  if (!is_bit && !is_mask && name.text != "incr" && name.text != "decr") {
    words_.fail(fmt::format(
        "there is no function \"{}\" of a number: there are set_bit, clear_bit, bit_and, bit_or, "
        "incr and decr",
        printable(name.text)));
    return 0;
  }
  words_.skip();
  words_.expect("(");
  std::uint64_t out = number;
  if (is_bit) {
    const std::uint64_t bit = std::uint64_t{1} << read_bit(kNumberBits - 1);
    out = name.text == "set_bit" ? number | bit : number & ~bit;
  } else if (is_mask) {
    const std::uint64_t mask = read_number();
    out = name.text == "bit_or" ? number | mask : number & mask;
  } else {
    const Bits bits = read_bits();
    const std::uint64_t one = std::uint64_t{1} << bits.first;
    const std::uint64_t last = name.text == "incr" ? bits.all() : 0;
    if (bits.of(number) != last) out = name.text == "incr" ? number + one : number - one;
  }
  words_.expect(")");
  return out;
}

bool LarkNumbers::read_condition(int depth) {
  if (depth > kMaxNesting) words_.fail("its conditions are nested too deeply");
  const LarkWord name = words_.next();
  if (name.kind != LarkWord::Kind::rule) {
    words_.fail(fmt::format("expected a condition behind '%if', found {}", words_.found()));
    return false;
  }
  std::string_view how = name.text;
  if (how == "true") {
    words_.skip();
    if (words_.take_sign("(")) words_.expect(")");
    return true;
  }
  if (how == "and" || how == "or") {
    words_.skip();
    return read_both(depth, how == "and");
  }
  if (how == "not") {
    words_.skip();
    words_.expect("(");
    const bool is_so = read_condition(depth + 1);
    words_.expect(")");
    return !is_so;
  }
  constexpr std::string_view kCount = "bit_count_";
  const bool counts = how.starts_with(kCount);
  if (counts) how.remove_prefix(kCount.size());
  if (is_comparison(how)) {
    words_.skip();
    return read_comparison(how, counts);
  }
  const bool is_bit = how == "bit_set" || how == "bit_clear";
  if (counts || (!is_bit && how != "is_ones" && how != "is_zeros")) {
    words_.fail(fmt::format(
        "there is no condition \"{}\": there are true, eq, ne, lt, le, gt, ge, bit_set, bit_clear, "
        "is_ones, is_zeros, bit_count_eq and the like, and, or, not",
        printable(name.text)));
    return false;
  }
  const std::uint64_t number = needed();
  words_.skip();
  words_.expect("(");
  bool is_so = false;
  if (is_bit) {
    is_so = (number >> read_bit(kNumberBits - 1) & 1) == (how == "bit_set" ? 1 : 0);
  } else {
    const Bits bits = read_bits();
    is_so = bits.of(number) == (how == "is_ones" ? bits.all() : 0);
  }
  words_.expect(")");
  return is_so;
}

bool LarkNumbers::read_both(int depth, bool is_and) {
  words_.expect("(");
  const bool left = read_condition(depth + 1);
  words_.expect(",");
  const bool right = read_condition(depth + 1);
  words_.expect(")");
  return is_and ? left && right : left || right;
}

bool LarkNumbers::read_comparison(std::string_view how, bool counts_bits) {
  const std::uint64_t number = needed();
  words_.expect("(");
  const Bits bits = read_bits();
  words_.expect(",");
  const std::uint64_t with = read_number();
  words_.expect(")");
  const std::uint64_t value = bits.of(number);
  return compares(how, counts_bits ? static_cast<std::uint64_t>(std::popcount(value)) : value,
                  with);
}

LarkNumbers::Bits LarkNumbers::read_bits() {
  if (words_.take_sign("_")) return {};
  if (!words_.take_sign("[")) {
    words_.fail(fmt::format("expected '_' or bits as [0:8], found {}", words_.found()));
    return {};
  }
  Bits bits;
  bits.first = read_bit(kNumberBits - 1);
  words_.expect(":");
  bits.behind = read_bit(kNumberBits);
  if (bits.behind <= bits.first) words_.fail("expected bits up to a higher one, as [0:8]");
  words_.expect("]");
  return bits.behind > bits.first ? bits : Bits{};
}

std::uint32_t LarkNumbers::read_bit(std::uint32_t most) {
  const std::uint32_t bit = words_.take_number();
  if (bit <= most) return bit;
  words_.fail(fmt::format("expected a bit up to {}", most));
  return 0;
}

std::uint64_t LarkNumbers::read_number() {
  const LarkWord word = words_.next();
  const bool is_hex = word.text.starts_with("0x") || word.text.starts_with("0X");
  const char* const begin = word.text.data() + (is_hex ? 2 : 0);
  const char* const end = word.text.data() + word.text.size();
  std::uint64_t number = 0;
  const auto [behind, error] = std::from_chars(begin, end, number, is_hex ? 16 : 10);
  if (word.kind != LarkWord::Kind::number) {
    words_.fail(fmt::format("expected a number, found {}", words_.found()));
  } else if (error != std::errc() || behind != end) {
    words_.fail("expected a number of 64 bits at most");
  } else {
    words_.skip();
    return number;
  }
  return 0;
}

}  // namespace pleiad::constrain::grammars
