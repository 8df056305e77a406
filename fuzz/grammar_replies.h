#pragma once

// Any grammar, and bytes that choose among what is allowed: nothing hangs, something is always
// allowed, and so is what is forced. The grammar ends at the first zero byte.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "constrain/grammars/reply_grammar.h"
#include "constrain/grammars/text_grammar.h"
#include "text/testing/piece_vocabulary.h"
#include "text/tokenizer.h"

namespace pleiad::fuzz {

struct GrammarTokens {
  text::PieceVocabulary vocabulary{{"ab", "aa", "abc", "12", "\":",
                                    "\xE2\x96\x81"
                                    "a",
                                    "), (", "\n\n"}};
  text::TokenId end = vocabulary.tag(text::Tag::turn_close);
  text::Tokenizer tokenizer{vocabulary.spec()};
  std::shared_ptr<const constrain::TokenTrie> trie =
      std::make_shared<constrain::TokenTrie>(tokenizer, std::vector{end});
};

inline void write_grammar_reply(const char* syntax, const std::uint8_t* data, std::size_t size) {
  namespace grammars = constrain::grammars;
  static const GrammarTokens tokens;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t length = std::min(text.find('\0'), text.size());
  Json definition = text.substr(0, length);
  if (std::string_view(syntax) == "structural_tag") {
    definition = json_or_discarded(text.substr(0, length));
    if (definition.is_discarded()) return;
  }
  const auto grammar = grammars::make_reply_grammar(
      tokens.trie, grammars::text_grammar(syntax, std::move(definition)),
      constrain::Start::at_once);
  if (!grammar) {
    CHECK(!grammar.message().empty());
    return;
  }
  grammars::GrammarReply reply(grammar.value());
  std::vector<std::uint64_t> allowed((tokens.vocabulary.size() + 63) / 64);
  try {
    const std::size_t last = std::min(size, length + 300);
    for (std::size_t i = length; i < last; ++i) {
      reply.allowed_next(allowed);
      std::vector<text::TokenId> may_come;
      for (std::size_t id = 0; id < tokens.vocabulary.size(); ++id) {
        if ((allowed[id / 64] >> (id % 64) & 1) == 0) continue;
        may_come.push_back(static_cast<text::TokenId>(id));
      }
      CHECK(!may_come.empty());
      const auto forced = [&]() noexcept { return reply.forced_next(8); }();
      CHECK(forced.empty() || std::ranges::find(may_come, forced[0]) != may_come.end());
      const text::TokenId token = may_come[data[i] % may_come.size()];
      CHECK(reply.allows(token));
      reply.accept(token);
      if (token == tokens.end) break;
    }
  } catch (const sampling::ConstraintError&) {
    // More readings than are followed.
  }
}

}  // namespace pleiad::fuzz
