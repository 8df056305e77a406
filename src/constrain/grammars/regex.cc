#include "constrain/grammars/regex.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "constrain/grammars/source_text.h"
#include "constrain/texts/pattern.h"

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
      case Kind::boundary:
      case Kind::ahead:
        refuse(node);
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

  struct Refusal {
    std::size_t at = 0;
    Kind kind = Kind::begin;
  };
  std::optional<Refusal> refused;

 private:
  void refuse(const PatternNode& node) {
    if (!refused) refused = {node.at, node.kind};
  }
};

/// Whether it asks what follows, or is beside it: then its parts cannot be told one by one.
bool looks_around(const PatternNode& node) {
  return node.kind == PatternNode::Kind::boundary || node.kind == PatternNode::Kind::ahead ||
         std::ranges::any_of(node.children, looks_around);
}

const char* why_refused(PatternNode::Kind kind) {
  switch (kind) {
    case PatternNode::Kind::boundary:
      return "'\\b' and '\\B' are not supported here";
    case PatternNode::Kind::ahead:
      return "looking ahead is not supported here";
    default:
      return "'^' and '$' are supported at the begin and at the end alone: the whole text has to "
             "match";
  }
}

Result<Expression> expression_of(PatternNode tree, std::size_t& problem_at) {
  PatternConverter converter;
  Expression out = converter.convert(tree, true, true);
  if (!converter.refused) return out;
  problem_at = converter.refused->at;
  return Failure{why_refused(converter.refused->kind)};
}

}  // namespace

Result<Expression> read_regex(std::string_view pattern, const PatternOptions& options,
                              std::size_t& problem_at) {
  Result<PatternNode> tree = read_pattern(pattern, options, &problem_at);
  if (!tree) return Failure{tree.message()};
  return expression_of(std::move(tree).value(), problem_at);
}

namespace {

Result<Expression> read_whole(std::string_view pattern, std::size_t& work,
                              std::size_t& problem_at) {
  Result<PatternNode> tree = read_pattern(pattern, kGrammarPattern, &problem_at);
  if (!tree) return Failure{tree.message()};
  if (!looks_around(tree.value())) return expression_of(std::move(tree).value(), problem_at);
  Result<Dfa> dfa = whole_pattern_dfa(tree.value(), work);
  if (!dfa) return Failure{dfa.message()};
  return dfa_of(std::move(dfa).value());
}

}  // namespace

Result<GrammarTree> read_regex_grammar(std::string_view pattern, std::size_t& work) {
  std::size_t problem_at = 0;
  Result<Expression> body = read_whole(pattern, work, problem_at);
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
