#include "constrain/grammars/lark_imports.h"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace pleiad::constrain::grammars {
namespace {

using LarkKind = LarkWord::Kind;

bool is_lark_sign(const LarkWord& word, std::string_view sign) {
  return word.kind == LarkKind::sign && word.text == sign;
}

/// Which grammar each word belongs to: 0 is the outermost one, `%lark {` begins another.
std::vector<std::size_t> grammars_of(const std::vector<LarkWord>& words) {
  struct Open {
    std::size_t grammar = 0;
    std::size_t n_braces = 0;  // that are open in it
  };
  std::vector<std::size_t> out;
  std::vector<Open> open = {{}};
  std::size_t n_grammars = 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool opens = is_lark_sign(words[i], "{");
    const bool begins_grammar =
        opens && i > 0 && words[i - 1].kind == LarkKind::directive && words[i - 1].text == "%lark";
    if (begins_grammar) {
      open.push_back({n_grammars++, 0});
    } else if (opens) {
      ++open.back().n_braces;
    } else if (is_lark_sign(words[i], "}")) {
      if (open.back().n_braces > 0) {
        --open.back().n_braces;
      } else if (open.size() > 1) {
        open.pop_back();
      }
    }
    out.push_back(open.back().grammar);
  }
  return out;
}

}  // namespace

void find_imported_names(std::vector<LarkWord>& words) {
  const std::vector<std::size_t> grammars = grammars_of(words);
  std::set<std::pair<std::size_t, std::string>> imported;
  for (std::size_t i = 0; i + 5 < words.size(); ++i) {
    const bool is_import = words[i].kind == LarkKind::directive && words[i].text == "%import";
    if (is_import && is_lark_sign(words[i + 4], "->") && words[i + 5].kind == LarkKind::rule) {
      imported.emplace(grammars[i], words[i + 5].text);
    }
  }
  if (imported.empty()) return;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].kind == LarkKind::rule && imported.contains({grammars[i], words[i].text})) {
      words[i].kind = LarkKind::terminal;
    }
  }
}

}  // namespace pleiad::constrain::grammars
