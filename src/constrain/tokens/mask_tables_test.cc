// Tables count no further than the longest token does: bounds of strings around its length.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "constrain/replies/json_constraint.h"
#include "constrain/tokens/node_lists.h"
#include "text/testing/piece_vocabulary.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kLongest = 6;  // bytes

/// Bytes, runs of one letter, and such runs with the quote that ends a string.
struct Runs {
  text::PieceVocabulary vocabulary{pieces()};
  std::shared_ptr<const TokenTrie> trie =
      std::make_shared<TokenTrie>(*vocabulary, std::vector{vocabulary.tag(text::Tag::turn_close)});

  static std::vector<std::string> pieces() {
    std::vector<std::string> out;
    for (std::size_t n = 1; n <= kLongest; ++n) {
      out.push_back(std::string(n, 'a'));
      out.push_back(std::string(n - 1, 'a') + '"');
    }
    return out;
  }

  text::TokenId byte(char c) const { return vocabulary->byte_piece(static_cast<std::uint8_t>(c)); }
};

/// Along a string that grows by a letter at a time, the tables allow what reading each token does.
void expect_exact(const Runs& runs, const Json& schema) {
  SCOPED_TRACE(to_text(schema));
  ASSERT_EQ(runs.trie->longest(), kLongest);
  auto grammar = make_json_grammar(runs.trie, schema, Start::at_once);
  ASSERT_TRUE(grammar) << grammar.message();
  GrammarConstraint constraint(std::move(grammar).value());
  constraint.accept(runs.byte('"'));
  for (std::size_t length = 0; length <= 3 * kLongest; ++length) {
    std::vector<std::uint64_t> allowed((runs.vocabulary->size() + 63) / 64, ~std::uint64_t{0});
    ASSERT_TRUE(constraint.allowed_next(allowed));
    for (std::size_t i = 0; i < runs.vocabulary.size(); ++i) {
      const auto token = static_cast<text::TokenId>(i);
      EXPECT_EQ((allowed[i / 64] >> (i % 64) & 1) != 0, constraint.allows(token))
          << runs.vocabulary.pieces()[i] << " behind " << length << " letters";
    }
    if (!constraint.allows(runs.byte('a'))) return;
    constraint.accept(runs.byte('a'));
  }
}

TEST(MaskTables, ShortTextsAreNotEndedByLongTokens) {
  const Runs runs;
  for (std::size_t least = 0; least <= 2 * kLongest + 1; ++least) {
    expect_exact(runs, {{"type", "string"}, {"minLength", least}});
  }
}

TEST(MaskTables, FullTextsAreNotMadeLongerByLongTokens) {
  const Runs runs;
  for (std::size_t most = 0; most <= 2 * kLongest + 1; ++most) {
    expect_exact(runs, {{"type", "string"}, {"maxLength", most}});
    expect_exact(runs, {{"type", "string"}, {"minLength", most}, {"maxLength", most}});
  }
}

TEST(NodeLists, ManyNodesAndFewAreInOrderAndEachOnce) {
  constexpr std::uint32_t kNodes = 10'000;
  for (const std::size_t n : {0U, 3U, 20U, 5'000U}) {
    NodeLists::List nodes;
    for (std::size_t i = 0; i < n; ++i) {
      nodes.push_back(static_cast<std::uint32_t>(i * 7'919 % kNodes / 2 * 2));
    }
    if (n > 0) nodes.front() = kNodes;
    const std::set<std::uint32_t> expected(nodes.begin(), nodes.end());
    NodeLists::put_in_order(nodes, kNodes);
    EXPECT_EQ(nodes, NodeLists::List(expected.begin(), expected.end())) << n;
  }
}

/// Arrays of which each may hold about half of the others, and some integers.
Json arrays_in_arrays(int n, int most_items) {
  Json format = {{"anyOf", Json::array()}};
  const auto name = [](int i) { return "k" + std::to_string(i); };
  for (int i = 0; i < n; ++i) {
    Json inside = {{"anyOf", Json::array()}};
    for (int j = 0; j < n; ++j) {
      if ((7 * i + 13 * j + i * j) % 23 < 11) {
        inside["anyOf"].push_back({{"$ref", "#/$defs/" + name(j)}});
      }
    }
    inside["anyOf"].push_back({{"const", i}});
    format["anyOf"].push_back({{"$ref", "#/$defs/" + name(i)}});
    format["$defs"][name(i)] = {{"type", "array"}, {"items", inside}, {"maxItems", most_items + i}};
  }
  return format;
}

struct Brackets {
  text::PieceVocabulary vocabulary{{"[[", "[[[", "[[[[", "[[[[[[[[", "]]", "]]]]", "[[[[[["}};
  std::shared_ptr<const TokenTrie> trie = std::make_shared<const TokenTrie>(
      *vocabulary, std::vector{vocabulary.tag(text::Tag::turn_close)});

  bool allows(GrammarConstraint& reply, std::string_view piece) const {
    std::vector<std::uint64_t> allowed((vocabulary->size() + 63) / 64);
    reply.allowed_next(allowed);
    const auto token = static_cast<std::size_t>(vocabulary->find(piece));
    return (allowed[token / 64] >> (token % 64) & 1) != 0;
  }
};

// What one mask leaves of stacks is gone before the next one: their tables share them with no one.
TEST(MaskTables, RunsOfBracketsOfManyKindsHaveMasks) {
  const Brackets brackets;
  auto made = make_json_grammar(brackets.trie, arrays_in_arrays(20, 3), Start::at_once);
  ASSERT_TRUE(made) << made.message();
  GrammarConstraint reply(made.value());
  const text::TokenId two = brackets.vocabulary->find("[[");
  for (int depth = 0; depth < 40; depth += 2) {
    EXPECT_TRUE(brackets.allows(reply, "[[[[[[[[")) << depth;
    EXPECT_EQ(brackets.allows(reply, "]]"), depth > 0) << depth;
    EXPECT_LT(made.value()->memory_bytes(), 40U << 20);
    reply.accept(two);
  }
}

TEST(MaskTables, AMaskThatIsGivenUpTakesNothingFromOthers) {
  const Brackets brackets;
  const Json format = {
      {"type", "object"},
      {"properties",
       {{"b", {{"$ref", "#/$defs/many"}}},
        {"c", {{"type", "array"}, {"items", {{"type", "array"}, {"items", {{"const", 7}}}}}}}}},
      {"$defs", arrays_in_arrays(40, 3)["$defs"]}};
  Json both = format;
  both["$defs"]["many"] = {{"anyOf", arrays_in_arrays(40, 3)["anyOf"]}};
  auto made = make_json_grammar(brackets.trie, both, Start::at_once);
  ASSERT_TRUE(made) << made.message();
  const auto goes_to = [&](std::string_view text) {
    auto reply = std::make_unique<GrammarConstraint>(made.value());
    EXPECT_TRUE(reply->begin_with(text));
    return reply;
  };
  const std::size_t before = made.value()->memory_bytes();
  made.value()->limit_mask_steps(100'000);
  EXPECT_THROW(brackets.allows(*goes_to(R"({"b":)"), "[["), sampling::ConstraintError);
  EXPECT_GT(made.value()->memory_bytes(), before + 100'000) << "what was found out counts";
  EXPECT_TRUE(brackets.allows(*goes_to(R"({"c":)"), "[["));
  made.value()->limit_mask_steps(10'000'000);
  EXPECT_TRUE(brackets.allows(*goes_to(R"({"b":)"), "[["));
}

TEST(MaskTables, AMaskThatTakesTooManyStepsIsGivenUp) {
  const Runs runs;
  std::vector<std::uint64_t> allowed((runs.vocabulary->size() + 63) / 64);
  for (const std::uint64_t most : {2'000, 2}) {
    auto made =
        make_json_grammar(runs.trie, {{"type", "string"}, {"maxLength", 9}}, Start::at_once);
    ASSERT_TRUE(made) << made.message();
    made.value()->limit_mask_steps(most);
    GrammarConstraint constraint(made.value());
    constraint.accept(runs.byte('"'));
    if (most == 2) {
      EXPECT_THROW(constraint.allowed_next(allowed), sampling::ConstraintError);
    } else {
      EXPECT_NO_THROW(constraint.allowed_next(allowed));
    }
  }
}

}  // namespace
}  // namespace pleiad::constrain
