#pragma once

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "constrain/constrain_test_data.h"
#include "constrain/grammars/reply_grammar.h"
#include "constrain/grammars/text_grammar.h"

// Ways to ask a grammar of some syntax about texts.
namespace pleiad::constrain::grammars {

/// What is wrong with it; empty where it can be used.
inline std::string problem_with(std::string syntax, Json definition) {
  const auto made =
      make_reply_grammar(test_vocabulary().trie,
                         text_grammar(std::move(syntax), std::move(definition)), Start::at_once);
  return made ? "" : made.message();
}

/// What it has to tell of its schemas.
inline std::vector<std::string> notes_of(std::string syntax, Json definition) {
  const auto made =
      make_reply_grammar(test_vocabulary().trie,
                         text_grammar(std::move(syntax), std::move(definition)), Start::at_once);
  EXPECT_TRUE(made) << (made ? "" : made.message());
  return made ? made.value()->notes() : std::vector<std::string>();
}

/// Whether the text is one of the grammar's, byte by byte.
inline bool takes(std::string syntax, Json definition, std::string_view text) {
  const auto made =
      make_reply_grammar(test_vocabulary().trie,
                         text_grammar(std::move(syntax), std::move(definition)), Start::at_once);
  EXPECT_TRUE(made) << (made ? "" : made.message());
  if (!made) return false;
  GrammarReply reply(made.value());
  return reply.begin_with(text) && reply.allows(test_vocabulary().ends.front());
}

/// A grammar, and texts that it takes and refuses.
struct GrammarCase {
  const char* grammar;
  std::vector<const char*> taken;
  std::vector<const char*> refused;
};

inline void expect_as_said(const char* syntax, const GrammarCase& one) {
  for (const char* text : one.taken) {
    EXPECT_TRUE(takes(syntax, one.grammar, text)) << one.grammar << ": " << text;
  }
  for (const char* text : one.refused) {
    EXPECT_FALSE(takes(syntax, one.grammar, text)) << one.grammar << ": " << text;
  }
}

/// A regular expression of a few parts over a and b.
inline std::string random_regex(std::mt19937& random, int depth) {
  const std::size_t kind = random() % (depth > 0 ? 7 : 3);
  if (kind == 0) return "a";
  if (kind == 1) return "b";
  if (kind == 2) return "[ab]";
  const std::string part = random_regex(random, depth - 1);
  if (kind == 3) return "(" + part + ")*";
  const std::string other = random_regex(random, depth - 1);
  return kind < 6 ? part + other : "(" + part + "|" + other + ")";
}

}  // namespace pleiad::constrain::grammars
