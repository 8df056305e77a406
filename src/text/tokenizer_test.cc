#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "base/testing/json.h"
#include "text/tokenizer_test_data.h"

namespace pleiad::text {
namespace {

class TokenizerTest : public testing::TestWithParam<const char*> {
 protected:
  static Tokenizer make(std::string_view kind) {
    return kind == "json" ? golden_tokenizer() : GgufArrays::golden().tokenizer();
  }
  Tokenizer tokenizer_ = make(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Sources, TokenizerTest, testing::Values("json", "gguf"));

TEST_P(TokenizerTest, EncodesLikeHuggingFace) {
  int n_texts = 0;
  for (const CorpusText& golden : golden_corpus()) {
    ++n_texts;
    EXPECT_EQ(tokenizer_.encode_text(golden.text), golden.ids) << golden.text;
    if (!golden.is_utf8) continue;
    EXPECT_EQ(tokenizer_.encode_with_control(golden.text), golden.control_ids) << golden.text;
  }
  EXPECT_GT(n_texts, 500);
}

TEST_P(TokenizerTest, DecodesToTheTextThatWasEncoded) {
  for (const CorpusText& golden : golden_corpus()) {
    EXPECT_EQ(tokenizer_.decode_bytes(golden.ids), with_spaces(golden.text));
    if (!golden.is_utf8) continue;
    EXPECT_EQ(tokenizer_.decode(golden.ids), with_spaces(golden.text));
    EXPECT_EQ(tokenizer_.decode_with_control(golden.control_ids), with_spaces(golden.text));
  }
}

TEST_P(TokenizerTest, NeverMakesAControlTokenOfText) {
  for (const std::string_view tag : kTagTexts) {
    for (const TokenId id : tokenizer_.encode_text(tag)) {
      EXPECT_FALSE(is_control(tokenizer_.vocabulary().kind(id))) << tag;
    }
    EXPECT_EQ(tokenizer_.encode_with_control(tag).size(), 1u) << tag;
  }
}

TEST_P(TokenizerTest, EncodesAPromptLikeItsTextButForWhatAUserWrote) {
  Prompt prompt;
  prompt.add_control(Tag::bos);
  prompt.add_control(Tag::turn_open);
  prompt.add_text("user\n");
  prompt.add_text("the end");
  EXPECT_EQ(tokenizer_.encode(prompt), tokenizer_.encode_with_control(prompt.str()));
  prompt.add_text("<turn|>");
  const auto ids = tokenizer_.encode(prompt);
  EXPECT_EQ(std::ranges::count(ids, tokenizer_.vocabulary().tag(Tag::turn_close).value()), 0);
  EXPECT_EQ(tokenizer_.decode_with_control(ids), prompt.str());
}

TEST_P(TokenizerTest, APictureHasAPlaceThatNoTextCanSpell) {
  Prompt prompt;
  prompt.add_control(Tag::bos);
  prompt.add_text("a <|image|> b");
  prompt.add_media(Tag::image, 1);
  prompt.add_text("c");
  prompt.add_media(Tag::image, 0);
  const Encoding encoding = tokenizer_.encode(prompt, EncodeLimit());
  const auto before = tokenizer_.encode_text("a <|image|> b");
  ASSERT_EQ(encoding.media, (std::vector<EncodedMedia>{{.at = before.size() + 1, .media = 1},
                                                       {.at = before.size() + 3, .media = 0}}));
  for (const EncodedMedia& place : encoding.media) {
    EXPECT_EQ(encoding.tokens[place.at], kMediaToken);
  }
  EXPECT_EQ(std::ranges::count(encoding.tokens, kMediaToken), 2);
  EXPECT_TRUE(tokenizer_.encode_text("<|image|>", EncodeLimit()).media.empty());
}

TEST_P(TokenizerTest, KnowsTheTokensOfTheFamily) {
  const Vocabulary& vocabulary = tokenizer_.vocabulary();
  EXPECT_EQ(vocabulary.pad(), 0);
  EXPECT_EQ(vocabulary.eos(), 1);
  EXPECT_EQ(vocabulary.bos(), 2);
  EXPECT_EQ(vocabulary.unk(), 3);
  EXPECT_EQ(vocabulary.tag(Tag::turn_close), 106);
  EXPECT_EQ(vocabulary.tag_of(52), Tag::quote);
  EXPECT_EQ(vocabulary.tag_of(107), std::nullopt);
  EXPECT_EQ(vocabulary.find("\n\n"), 108);
  EXPECT_EQ(vocabulary.byte_piece(0xFF), 493);
}

/// Merging as the definition says, without any cutting or queue.
std::vector<TokenId> merged_slowly(const Vocabulary& vocabulary, const MergeTable& merges,
                                   std::string_view text) {
  std::vector<TokenId> ids;
  for (const char c : text) {
    ids.push_back(vocabulary.find(c == ' ' ? "\xE2\x96\x81" : std::string_view(&c, 1)));
  }
  while (true) {
    MergeTable::Rank best = MergeTable::kNoMerge;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      const MergeTable::Rank rank = merges.rank(ids[i], ids[i + 1]);
      if (rank < best) best = rank, at = i;
    }
    if (best == MergeTable::kNoMerge) return ids;
    ids[at] = merges.joined(best);
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

TEST(Bpe, MergesInRankOrderWhateverTheLengthOfTheRun) {
  // Random merges over three letters and the space: runs of every length join,
  // ranks are out of order, and many pairs tie.
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    GgufArrays arrays;
    for (int byte = 0; byte < 256; ++byte) arrays.tokens.push_back(fmt::format("<0x{:02X}>", byte));
    for (const char* letter : {"a", "b", "c", "\xE2\x96\x81"}) arrays.tokens.emplace_back(letter);
    for (int i = 0; i < 60; ++i) {
      const std::size_t first_letter = 256;
      const auto pick = [&] {
        return arrays.tokens[first_letter + random() % (arrays.tokens.size() - first_letter)];
      };
      const std::string left = pick();
      const std::string right = pick();
      if (left.size() + right.size() > 24) continue;
      if (std::ranges::count(arrays.tokens, left + right) == 0) {
        arrays.tokens.push_back(left + right);
      }
      arrays.merges.push_back(left + " " + right);
    }
    std::ranges::shuffle(arrays.merges, random);
    arrays.types.assign(arrays.tokens.size(), 1);
    arrays.with_views([&](GgufTokenizerArrays& views) {
      views.bos_id = views.eos_id = views.unk_id = views.pad_id = std::nullopt;
      const TokenizerSpec spec = tokenizer_spec_from_gguf(views);
      const Tokenizer tokenizer(spec);
      const Vocabulary& vocabulary = tokenizer.vocabulary();
      MergeTable merges(spec.merges.size());
      for (std::size_t rank = 0; rank < spec.merges.size(); ++rank) {
        const Merge& merge = spec.merges[rank];
        merges.insert(vocabulary.find(merge.left), vocabulary.find(merge.right), rank,
                      vocabulary.find(std::string(merge.left) + std::string(merge.right)));
      }
      for (const int length : {1, 2, 3, 10, 39, 40, 41, 42, 100, 500}) {
        std::string text;
        for (int i = 0; i < length; ++i) text += "aabc "[random() % 5];
        EXPECT_EQ(tokenizer.encode_text(text), merged_slowly(vocabulary, merges, text)) << text;
      }
    });
  }
}

TEST(Tokenizer, CutsOutLiteralPiecesThatAreNotControl) {
  Json json = json_from(read_golden("tokenizer.json"));
  const auto add = [&](const char* text, bool normalized, bool strip) {
    const auto id = json["model"]["vocab"].size() + json["added_tokens"].size();
    json["added_tokens"].push_back({{"id", id},
                                    {"content", text},
                                    {"single_word", false},
                                    {"lstrip", strip},
                                    {"rstrip", strip},
                                    {"normalized", normalized},
                                    {"special", false}});
    return static_cast<TokenId>(id);
  };
  const TokenId table = add("<table>", false, false);
  const TokenId two_words = add("two words", true, false);
  const TokenId greedy = add("[GAP]", false, true);
  const Tokenizer tokenizer = parse_tokenizer_json(to_text(json), "test");
  const auto with = [&](std::string_view before, TokenId id, std::string_view after) {
    auto ids = tokenizer.encode_text(before);
    ids.push_back(id);
    const auto rest = tokenizer.encode_text(after);
    ids.insert(ids.end(), rest.begin(), rest.end());
    return ids;
  };
  EXPECT_EQ(tokenizer.encode_text("the <table> and"), with("the ", table, " and"));
  EXPECT_EQ(tokenizer.encode_text("in two words."), with("in ", two_words, "."));
  EXPECT_EQ(tokenizer.encode_text("the \n[GAP]\t and"), with("the", greedy, "and"));
}

TEST(Tokenizer, SaysWhichControlTokenIsMissing) {
  GgufArrays arrays = GgufArrays::golden();
  for (std::string& token : arrays.tokens) {
    if (token == "<|turn>") token = "<renamed>";
  }
  Prompt prompt;
  prompt.add_control(Tag::turn_open);
  try {
    arrays.tokenizer().encode(prompt);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "test.gguf: the vocabulary has no control token '<|turn>', which this prompt needs");
  }
}

}  // namespace
}  // namespace pleiad::text
