#include "constrain/grammars/regex.h"

#include <optional>
#include <utility>

#include "constrain/grammars/source_text.h"

namespace pleiad::constrain::grammars {
namespace {

class PatternConverter {
  using Kind = PatternNode::Kind;

 public:
  /// `first`, `last`: nothing is read before, behind.
  Expression convert(PatternNode& node, bool first, bool last) {
    switch (node.kind) {
      case Kind::characters:
        return characters_of(std::move(node.characters));
      case Kind::begin:
        if (!first) refuse(node);
        return {};
      case Kind::end:
        if (!last) refuse(node);
        return {};
      case Kind::repeat:
        return repeat_of(convert(node.children.front(), false, false), node.least, node.most);
      case Kind::sequence: {
        const std::size_t n = node.children.size();
        std::size_t n_ends = 0;
        while (n_ends < n && node.children[n - 1 - n_ends].kind == Kind::end) ++n_ends;
        std::vector<Expression> parts;
        for (std::size_t i = 0; i < n; ++i) {
          parts.push_back(convert(node.children[i], first, last && i + 1 + n_ends >= n));
          if (node.children[i].kind != Kind::begin) first = false;
        }
        return sequence_of(std::move(parts));
      }
      case Kind::choice: {
        std::vector<Expression> ways;
        for (PatternNode& child : node.children) ways.push_back(convert(child, first, last));
        return choice_of(std::move(ways));
      }
    }
    return {};
  }

  std::optional<std::size_t> refused_at;

 private:
  void refuse(const PatternNode& node) {
    if (!refused_at) refused_at = node.at;
  }
};

}  // namespace

Result<Expression> read_regex(std::string_view pattern, const PatternOptions& options,
                              std::size_t& problem_at) {
  Result<PatternNode> tree = read_pattern(pattern, options, &problem_at);
  if (!tree) return Failure{tree.message()};
  PatternConverter converter;
  Expression out = converter.convert(tree.value(), true, true);
  if (!converter.refused_at) return out;
  problem_at = *converter.refused_at;
  return Failure{
      "'^' and '$' are supported at the begin and at the end alone: the whole text has to match"};
}

Result<GrammarTree> read_regex_grammar(std::string_view pattern) {
  std::size_t problem_at = 0;
  Result<Expression> body = read_regex(pattern, kGrammarPattern, problem_at);
  if (!body) {
    SourceText source(pattern);
    source.fail_at(problem_at, body.message());
    return source.failure();
  }
  GrammarTree tree;
  tree.rules.push_back({"the regular expression", std::move(body).value(), false});
  return tree;
}

}  // namespace pleiad::constrain::grammars
