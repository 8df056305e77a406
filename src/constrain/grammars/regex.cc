#include "constrain/grammars/regex.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "constrain/grammars/source_text.h"
#include "constrain/texts/pattern.h"

namespace pleiad::constrain::grammars {
namespace {

/// Why none of these characters can be in a reply; null where one can.
const char* why_in_no_text(const std::vector<CodeRange>& characters) {
  constexpr char32_t kFirstHalf = 0xD800;
  constexpr char32_t kLastHalf = 0xDFFF;
  if (characters.empty())
    return "no character is one of these: what is between '[' and ']' is none";
  const auto is_nul = [](const CodeRange& it) { return it.last == 0; };
  const auto is_half = [](const CodeRange& it) {
    return it.first >= kFirstHalf && it.last <= kLastHalf;
  };
  if (std::ranges::all_of(characters, is_half)) {
    return "this is half a character, which stands in no text: halves come as pairs";
  }
  const bool has_one = std::ranges::any_of(
      characters, [&](const CodeRange& it) { return !is_nul(it) && !is_half(it); });
  return has_one ? nullptr : "replies never have the character U+0000";
}

/// A '^', or flags for what follows.
bool reads_nothing(const PatternNode& node) {
  return node.kind == PatternNode::Kind::begin ||
         (node.kind == PatternNode::Kind::sequence && node.children.empty());
}

class PatternConverter {
  using Kind = PatternNode::Kind;

 public:
  /// `first`, `last`: nothing is read before, behind.
  Expression convert(PatternNode& node, bool first, bool last) {
    switch (node.kind) {
      case Kind::characters:
        if (const char* const why = why_in_no_text(node.characters)) refuse(node, why);
        return characters_of(std::move(node.characters));
      case Kind::begin:
      case Kind::end:
        if (node.kind == Kind::begin ? !first : !last) {
          refuse(node,
                 "'^' and '$' are supported at the begin and at the end alone: the whole text has "
                 "to match");
        }
        return {};
      case Kind::boundary:
        refuse(node, "'\\b' and '\\B' are not supported here");
        return {};
      case Kind::ahead:
        refuse(node, "looking ahead is not supported here");
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
          if (!reads_nothing(node.children[i])) first = false;
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
    const char* why = nullptr;
  };
  std::optional<Refusal> refused;

 private:
  void refuse(const PatternNode& node, const char* why) {
    if (!refused) refused = {node.at, why};
  }
};

/// Whether it asks what follows, or is beside it: then its parts cannot be told one by one.
bool looks_around(const PatternNode& node) {
  return node.kind == PatternNode::Kind::boundary || node.kind == PatternNode::Kind::ahead ||
         std::ranges::any_of(node.children, looks_around);
}

Result<Expression> expression_of(PatternNode tree, std::size_t& problem_at) {
  PatternConverter converter;
  Expression out = converter.convert(tree, true, true);
  if (!converter.refused) return out;
  problem_at = converter.refused->at;
  return Failure{converter.refused->why};
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
