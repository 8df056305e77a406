// A grammar of a few rules over a, b and c, made from the bytes, and texts: the parser takes what a
// slow matcher takes, and goes on where that finds a way on.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "constrain/grammars/compile.h"
#include "constrain/grammars/parser.h"
#include "constrain/testing/slow_grammar_matcher.h"
#include "text/vocabulary.h"

namespace {

using namespace pleiad::constrain;
using namespace pleiad::constrain::grammars;

/// Makes rules of bytes, as long as there are some.
class GrammarBytes {
 public:
  GrammarBytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::size_t below(std::size_t n) {
    if (size_ == 0) return 0;
    --size_;
    return *data_++ % n;
  }

  GrammarTree tree() {
    GrammarTree tree;
    n_rules_ = 1 + below(5);
    const std::size_t n_terminals = below(3);
    for (std::size_t i = 0; i < n_rules_ + n_terminals; ++i) tree.rules.push_back({"r", {}, false});
    for (std::size_t i = 0; i < tree.rules.size(); ++i) {
      tree.rules[i].is_terminal = i >= n_rules_;
      names_ = tree.rules[i].is_terminal ? 0 : tree.rules.size();
      tree.rules[i].body = expression(4);
    }
    return tree;
  }

 private:
  Expression expression(int depth) {
    const std::size_t kind = below(depth > 0 ? 8 : 4);
    if (kind == 0)
      return pleiad::constrain::grammars::text_of(
          std::string(below(3), static_cast<char>('a' + below(3))));
    if (kind == 1) {
      const auto first = static_cast<char32_t>('a' + below(3));
      return characters_of({{first, first + static_cast<char32_t>(below(3))}});
    }
    if (kind < 4)
      return names_ > 0 ? rule_of(static_cast<std::uint32_t>(below(names_))) : Expression{};
    if (kind == 4) {
      const auto least = static_cast<std::uint32_t>(below(4));
      const bool is_open = below(2) == 0;
      const std::uint32_t most =
          is_open ? kUnbounded : least + static_cast<std::uint32_t>(below(3));
      return repeat_of(expression(depth - 1), least, most);
    }
    std::vector<Expression> children;
    for (std::size_t n = 1 + below(3); n > 0; --n) children.push_back(expression(depth - 1));
    return kind < 6 ? sequence_of(std::move(children)) : choice_of(std::move(children));
  }

  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t n_rules_ = 0;
  std::size_t names_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 12) return 0;
  std::string text;
  for (std::size_t i = 0; i < 10; ++i) text += static_cast<char>('a' + data[i] % 3);
  const GrammarTree tree = GrammarBytes(data + 10, std::min<std::size_t>(size - 10, 200)).tree();
  GrammarBudget budget;
  auto compiled = compile(tree, budget);
  CHECK(static_cast<bool>(compiled) == SlowMatcher(tree, "").matches_anything());
  if (!compiled) return 0;
  const auto root = compiled.value().root;
  const bool may_be_empty = compiled.value().may_be_empty;
  const Network network = std::move(compiled.value().network);
  CHECK(may_be_empty == SlowMatcher(tree, "").matches());
  Parser parser(network);
  Row row, next;
  parser.begin({.state = network.rules[root].start}, row);
  for (std::size_t length = 1; length <= text.size(); ++length) {
    parser.read(row, symbol_of(text[length - 1]), next);
    std::swap(row, next);
    const std::string begin = text.substr(0, length);
    const SlowMatcher slow(tree, begin);
    CHECK(row.alive() == slow.is_begin(), "{}", begin);
    CHECK(!row.left.empty() == slow.matches(), "{}", begin);
    if (!row.alive()) break;
  }
  return 0;
}
