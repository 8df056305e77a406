#include "constrain/texts/characters.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace pleiad::constrain {
namespace {

/// Adds states and edges by hand.
class Writer {
 public:
  std::uint32_t state() {
    dfa.states.emplace_back();
    return static_cast<std::uint32_t>(dfa.states.size() - 1);
  }
  void range(std::uint32_t from, Symbol first, Symbol last, std::uint32_t to, bool counts = false) {
    dfa.states[from].edges.push_back({first, last, to, counts});
  }
  void each(std::uint32_t from, std::string_view symbols, std::uint32_t to) {
    for (const char c : symbols) range(from, symbol_of(c), symbol_of(c), to);
  }
  void hex(std::uint32_t from, std::uint32_t to) {
    range(from, '0', '9', to);
    range(from, 'A', 'F', to);
    range(from, 'a', 'f', to);
  }

  /// Characters of several bytes, from `from` to `to`. Unicode's table of
  /// well-formed sequences.
  void long_characters(std::uint32_t from, std::uint32_t to, bool counts) {
    const std::uint32_t one = state(), two = state(), three = state();
    const std::uint32_t e0 = state(), ed = state(), f0 = state(), f4 = state();
    range(from, 0xC2, 0xDF, one, counts);
    range(from, 0xE0, 0xE0, e0, counts);
    range(from, 0xE1, 0xEC, two, counts);
    range(from, 0xED, 0xED, ed, counts);
    range(from, 0xEE, 0xEF, two, counts);
    range(from, 0xF0, 0xF0, f0, counts);
    range(from, 0xF1, 0xF3, three, counts);
    range(from, 0xF4, 0xF4, f4, counts);
    range(e0, 0xA0, 0xBF, one);
    range(ed, 0x80, 0x9F, one);
    range(f0, 0x90, 0xBF, two);
    range(f4, 0x80, 0x8F, two);
    range(three, 0x80, 0xBF, two);
    range(two, 0x80, 0xBF, one);
    range(one, 0x80, 0xBF, to);
  }

  /// \uXXXX behind the 'u'; halves of pairs only as pairs.
  void escaped_unit(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t three = state(), two = state(), one = state(), d = state();
    const std::uint32_t high_two = state(), high_one = state(), slash = state(), u = state();
    const std::uint32_t low = state(), low_three = state();
    range(from, '0', '9', three);
    range(from, 'A', 'C', three);
    range(from, 'a', 'c', three);
    each(from, "EeFf", three);
    each(from, "Dd", d);
    range(d, '0', '7', two);
    each(d, "89ABab", high_two);
    hex(three, two);
    hex(two, one);
    hex(one, to);
    hex(high_two, high_one);
    hex(high_one, slash);
    each(slash, "\\", u);
    each(u, "u", low);
    each(low, "Dd", low_three);
    range(low_three, 'C', 'F', two);
    range(low_three, 'c', 'f', two);
  }

  Dfa dfa;
};

constexpr char32_t kLastCharacter = 0x10FFFF;

/// Sequences of byte ranges for [first, last] where both have equally many bytes.
void add_utf8(std::vector<std::vector<SymbolRange>>& out, char32_t first, char32_t last,
              int n_bytes) {
  static constexpr Symbol kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  std::vector<SymbolRange> sequence(static_cast<std::size_t>(n_bytes));
  // Cut so that all bytes but the first that differs cover their whole range.
  for (int level = 1; level < n_bytes; ++level) {
    const char32_t mask = (1U << (6 * level)) - 1;
    if ((first & ~mask) == (last & ~mask)) continue;
    if ((first & mask) != 0) {
      add_utf8(out, first, first | mask, n_bytes);
      return add_utf8(out, (first | mask) + 1, last, n_bytes);
    }
    if ((last & mask) != mask) {
      add_utf8(out, first, (last & ~mask) - 1, n_bytes);
      return add_utf8(out, last & ~mask, last, n_bytes);
    }
  }
  for (int i = 0; i < n_bytes; ++i) {
    const int shift = 6 * (n_bytes - 1 - i);
    const char32_t keep = i == 0 ? 0xFFU : 0x3FU;
    const char32_t lead = i == 0 ? kLead[n_bytes] : 0x80U;
    const auto byte = [&](char32_t code) {
      return static_cast<Symbol>(n_bytes == 1 ? code : (lead | (code >> shift & keep)));
    };
    sequence[static_cast<std::size_t>(i)] = {byte(first), byte(last)};
  }
  out.push_back(std::move(sequence));
}

void add_raw(std::vector<std::vector<SymbolRange>>& out, char32_t first, char32_t last) {
  struct Block {
    char32_t first, last;
    int n_bytes;
  };
  static constexpr Block kBlocks[] = {{0, 0x7F, 1},
                                      {0x80, 0x7FF, 2},
                                      {0x800, 0xD7FF, 3},  // no surrogates
                                      {0xE000, 0xFFFF, 3},
                                      {0x10000, kLastCharacter, 4}};
  for (const Block& block : kBlocks) {
    const char32_t from = std::max(first, block.first);
    const char32_t to = std::min(last, block.last);
    if (from <= to) add_utf8(out, from, to, block.n_bytes);
  }
}

/// Calls add(first, last, may_be_bare) for the characters of a key that are of ASCII.
template <typename Add>
void for_each_run_in_keys(Add add) {
  char first = ' ';
  for (char last = ' '; last <= '~'; ++last) {
    if (last < '~' && may_be_bare(static_cast<char>(last + 1)) == may_be_bare(first)) continue;
    add(symbol_of(first), symbol_of(last), may_be_bare(first));
    first = static_cast<char>(last + 1);
  }
}

Dfa bare_key() {
  Writer writer;
  const std::uint32_t empty = writer.state(), key = writer.state();
  writer.dfa.states[key].accepts = true;
  for (const std::uint32_t from : {empty, key}) {
    for_each_run_in_keys([&](Symbol first, Symbol last, bool is_bare) {
      if (is_bare) writer.range(from, first, last, key);
    });
    writer.long_characters(from, key, false);
  }
  return std::move(writer.dfa);
}

}  // namespace

Dfa any_text(Syntax syntax) {
  Writer writer;
  const std::uint32_t text = writer.state();
  writer.dfa.states[text].accepts = true;
  writer.long_characters(text, text, true);
  if (syntax == Syntax::call) {
    writer.range(text, 0x01, 0x7F, text, true);
    return std::move(writer.dfa);
  }
  writer.range(text, 0x20, '"' - 1, text, true);
  writer.range(text, '"' + 1, '\\' - 1, text, true);
  writer.range(text, '\\' + 1, 0x7F, text, true);
  const std::uint32_t escape = writer.state(), unit = writer.state();
  writer.range(text, '\\', '\\', escape, true);
  writer.each(escape, "\"\\/bfnrt", text);
  writer.each(escape, "u", unit);
  writer.escaped_unit(unit, text);
  return std::move(writer.dfa);
}

Dfa any_plain_text(Syntax syntax) {
  if (syntax == Syntax::call) return any_text(syntax);
  Writer writer;
  const std::uint32_t text = writer.state(), escape = writer.state();
  writer.dfa.states[text].accepts = true;
  writer.long_characters(text, text, true);
  writer.range(text, 0x20, '"' - 1, text, true);
  writer.range(text, '"' + 1, '\\' - 1, text, true);
  writer.range(text, '\\' + 1, 0x7F, text, true);
  writer.range(text, '\\', '\\', escape, true);
  writer.each(escape, "\"\\bfnrt", text);
  // The other control characters: \u0000 to \u001f.
  const std::uint32_t u = writer.state(), zero = writer.state(), digit = writer.state();
  const std::uint32_t low = writer.state(), high = writer.state();
  writer.each(escape, "u", u);
  writer.each(u, "0", zero);
  writer.each(zero, "0", digit);
  writer.each(digit, "0", low);
  writer.each(digit, "1", high);
  writer.range(low, '0', '7', text);
  writer.each(low, "bef", text);
  writer.range(high, '0', '9', text);
  writer.range(high, 'a', 'f', text);
  return std::move(writer.dfa);
}

Dfa any_key(Syntax syntax) {
  if (syntax == Syntax::call) return bare_key();
  Writer writer;
  const std::uint32_t key = writer.state(), escape = writer.state();
  writer.dfa.states[key].accepts = true;
  writer.long_characters(key, key, false);
  writer.range(key, 0x20, '"' - 1, key);
  writer.range(key, '"' + 1, '\\' - 1, key);
  writer.range(key, '\\' + 1, 0x7F, key);
  writer.range(key, '\\', '\\', escape);
  writer.each(escape, "\"\\bfnrt", key);
  return std::move(writer.dfa);
}

Dfa any_quoted_key() {
  Writer writer;
  // Behind `bare` are those that need no quotes.
  const std::uint32_t empty = writer.state(), bare = writer.state(), key = writer.state();
  writer.dfa.states[empty].accepts = writer.dfa.states[key].accepts = true;
  for (const std::uint32_t from : {empty, bare}) {
    for_each_run_in_keys([&](Symbol first, Symbol last, bool is_bare) {
      writer.range(from, first, last, is_bare ? bare : key);
    });
    writer.long_characters(from, bare, false);
  }
  writer.range(key, ' ', '~', key);
  writer.long_characters(key, key, false);
  return std::move(writer.dfa);
}

Dfa between_quotes(const Dfa& keys) {
  const auto edge_to = [](std::size_t state) {
    const Symbol mark = quote(Syntax::call);
    return Dfa::Edge{.first = mark, .last = mark, .target = static_cast<std::uint32_t>(state)};
  };
  Dfa out;
  out.states.push_back({{edge_to(1)}, false});
  const std::size_t end = keys.states.size() + 1;
  for (Dfa::State state : keys.states) {
    for (Dfa::Edge& edge : state.edges) ++edge.target;
    if (state.accepts) state.edges.push_back(edge_to(end));
    state.accepts = false;
    out.states.push_back(std::move(state));
  }
  out.states.push_back({{}, true});
  return out;
}

std::vector<std::vector<SymbolRange>> spellings(Syntax syntax,
                                                const std::vector<CodeRange>& characters) {
  std::vector<std::vector<SymbolRange>> out;
  for (const CodeRange& range : characters) {
    if (syntax == Syntax::call) {
      add_raw(out, std::max<char32_t>(range.first, 1), range.last);
      continue;
    }
    const auto add_between = [&](char32_t first, char32_t last) {
      first = std::max(first, range.first);
      last = std::min(last, range.last);
      if (first <= last) add_raw(out, first, last);
    };
    add_between(0x20, '"' - 1);
    add_between('"' + 1, '\\' - 1);
    add_between('\\' + 1, kLastCharacter);
    const auto add_escaped = [&](char32_t code) {
      if (code < range.first || code > range.last) return;
      std::vector<SymbolRange> sequence;
      for (const Symbol symbol :
           spell_inside(Syntax::json, std::string(1, static_cast<char>(code)))) {
        sequence.push_back({symbol, symbol});
      }
      out.push_back(std::move(sequence));
    };
    for (char32_t code = 0; code < 0x20; ++code) add_escaped(code);
    add_escaped('"');
    add_escaped('\\');
  }
  return out;
}

}  // namespace pleiad::constrain
