#include "text/tokenizer_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/testing/json.h"
#include "text/tokenizer_test_data.h"

namespace pleiad::text {
namespace {

using testing::HasSubstr;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const LoadError& error) {
    return error.what();
  }
  return "accepted";
}

std::string gguf_message(const std::function<void(GgufArrays&)>& change,
                         const std::function<void(GgufTokenizerArrays&)>& change_views = {}) {
  GgufArrays arrays = GgufArrays::golden();
  change(arrays);
  return message_of([&] {
    arrays.with_views([&](GgufTokenizerArrays& views) {
      if (change_views) change_views(views);
      Tokenizer(tokenizer_spec_from_gguf(views));
    });
  });
}

const auto kNothing = [](GgufArrays&) {};

TEST(GgufTokenizer, AcceptsBothSpellingsOfTheModel) {
  EXPECT_EQ(gguf_message(kNothing), "accepted");
  EXPECT_EQ(gguf_message(kNothing,
                         [](GgufTokenizerArrays& views) {
                           views.model = "llama";
                           views.pre = "gemma4";
                           views.add_space_prefix.reset();
                         }),
            "accepted");
}

TEST(GgufTokenizer, NamesTheKeyThatIsWrong) {
  EXPECT_EQ(gguf_message(kNothing, [](GgufTokenizerArrays& views) { views.model = "gpt2"; }),
            "test.gguf: tokenizer.ggml.model is 'gpt2' (pre ''); expected 'gemma4', or 'llama' "
            "with pre 'gemma4'");
  EXPECT_EQ(gguf_message(kNothing, [](GgufTokenizerArrays& views) { views.model = "llama"; }),
            "test.gguf: tokenizer.ggml.model is 'llama' (pre ''); expected 'gemma4', or 'llama' "
            "with pre 'gemma4'");
  EXPECT_EQ(
      gguf_message(kNothing, [](GgufTokenizerArrays& views) { views.add_space_prefix = true; }),
      "test.gguf: tokenizer.ggml.add_space_prefix: expected false, got true");
  EXPECT_EQ(gguf_message(kNothing, [](GgufTokenizerArrays& views) { views.bos_id = 3500; }),
            "test.gguf: tokenizer.ggml.bos_token_id: 3500 is not one of the 3500 pieces");
  EXPECT_EQ(gguf_message(kNothing, [](GgufTokenizerArrays& views) { views.pad_id = -1; }),
            "test.gguf: tokenizer.ggml.padding_token_id: -1 is not one of the 3500 pieces");
  EXPECT_EQ(gguf_message([](GgufArrays& arrays) { arrays.types.pop_back(); }),
            "test.gguf: tokenizer.ggml.token_type: expected 3500 values, got 3499");
  EXPECT_EQ(gguf_message([](GgufArrays& arrays) { arrays.types[7] = 9; }),
            "test.gguf: tokenizer.ggml.token_type[7]: expected 1 to 6, got 9");
  EXPECT_EQ(gguf_message([](GgufArrays& arrays) { arrays.types[7] = 6; }),
            "test.gguf: tokenizer.ggml.tokens[7]: a byte piece must look like <0x0A>, got "
            "'<unused7>'");
  EXPECT_EQ(gguf_message([](GgufArrays& arrays) { arrays.tokens[7] = "\xFF"; }),
            "test.gguf: tokenizer.ggml.tokens[7] is not UTF-8: '\\xff'");
  EXPECT_EQ(gguf_message([](GgufArrays& arrays) { arrays.merges[1] = "ab"; }),
            "test.gguf: tokenizer.ggml.merges[1]: expected 'left right', got 'ab'");
  EXPECT_THAT(gguf_message([](GgufArrays& arrays) { arrays.merges[1] = "qq xx"; }),
              HasSubstr("merge 1 ('qq' with 'xx'): 'qq' is not a piece of the vocabulary"));
  EXPECT_EQ(gguf_message([](GgufArrays& arrays) { arrays.tokens[7] = "<bos>"; }),
            "test.gguf: pieces 2 and 7 are both '<bos>'");
  EXPECT_EQ(gguf_message([](GgufArrays& arrays) {
              arrays.tokens[238] = "<0x0g>";
              arrays.types[238] = 1;
            }),
            "test.gguf: the vocabulary has no byte piece '<0x00>'");
}

TEST(GgufTokenizer, TreatsKnownTagsAsControlWhateverTheirType) {
  GgufArrays arrays = GgufArrays::golden();
  arrays.types.assign(arrays.types.size(), 1);
  const Tokenizer tokenizer = arrays.tokenizer();
  EXPECT_EQ(tokenizer.vocabulary().kind(106), PieceKind::control);
  EXPECT_EQ(tokenizer.vocabulary().kind(240), PieceKind::byte);
  EXPECT_EQ(tokenizer.encode_with_control("<turn|>"), std::vector<TokenId>{106});
}

std::string json_message(const std::function<void(Json&)>& change) {
  Json json = json_from(read_golden("tokenizer.json"));
  change(json);
  return message_of([&] { parse_tokenizer_json(to_text(json), "t"); });
}

TEST(TokenizerJson, ReadsMergesInBothForms) {
  Json json = json_from(read_golden("tokenizer.json"));
  const bool are_pairs = json["model"]["merges"][0].is_array();
  const Tokenizer first = parse_tokenizer_json(to_text(json), "t");
  for (Json& merge : json["model"]["merges"]) {
    if (are_pairs) {
      merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
    } else {
      const auto spelled = merge.get<std::string>();
      merge = {spelled.substr(0, spelled.find(' ', 1)), spelled.substr(spelled.find(' ', 1) + 1)};
    }
  }
  const Tokenizer second = parse_tokenizer_json(to_text(json), "t");
  for (const CorpusText& golden : golden_corpus()) {
    ASSERT_EQ(second.encode_text(golden.text), golden.ids);
    ASSERT_EQ(first.encode_text(golden.text), golden.ids);
  }
}

TEST(TokenizerJson, RefusesAnotherPipeline) {
  EXPECT_EQ(json_message([](Json&) {}), "accepted");
  EXPECT_EQ(json_message([](Json& json) { json["pre_tokenizer"] = nullptr; }), "accepted");
  EXPECT_EQ(json_message([](Json& json) {
              json["normalizer"] = {{"type", "NFC"}};
            }),
            "t: normalizer: this is not Gemma's tokenizer: {\"type\":\"NFC\"}");
  EXPECT_EQ(json_message([](Json& json) {
              json["pre_tokenizer"] = {{"type", "ByteLevel"}};
            }),
            "t: pre_tokenizer: this is not Gemma's tokenizer: {\"type\":\"ByteLevel\"}");
  EXPECT_EQ(json_message([](Json& json) { json["decoder"] = nullptr; }),
            "t: decoder: this is not Gemma's tokenizer: null");
  EXPECT_EQ(json_message([](Json& json) { json["model"]["type"] = "Unigram"; }),
            "t: model.type: this is not Gemma's tokenizer: \"Unigram\"");
  EXPECT_EQ(json_message([](Json& json) { json["model"]["byte_fallback"] = false; }),
            "t: model.byte_fallback: this is not Gemma's tokenizer: false");
}

TEST(TokenizerJson, NamesTheFieldThatIsWrong) {
  EXPECT_THAT(message_of([] { parse_tokenizer_json("", "t"); }), HasSubstr("t: "));
  EXPECT_THAT(message_of([] { parse_tokenizer_json("{\"model\": {", "t"); }), HasSubstr("t: "));
  EXPECT_EQ(message_of([] { parse_tokenizer_json("{}", "t"); }), "t: model.vocab: missing");
  EXPECT_EQ(message_of([] { load_tokenizer_json("/nowhere/tokenizer.json"); }),
            "/nowhere/tokenizer.json: cannot be read");
  EXPECT_EQ(json_message([](Json& json) { json["model"]["vocab"]["new"] = -1; }),
            "t: model.vocab: 'new' has the id -1");
  EXPECT_EQ(json_message([](Json& json) { json["model"]["vocab"]["new"] = 1 << 30; }),
            "t: model.vocab: 'new' has the id 1073741824");
  EXPECT_EQ(json_message([](Json& json) { json["model"]["vocab"]["new"] = 7; }),
            "t: model.vocab: '<unused7>' and 'new' both have the id 7");
  EXPECT_EQ(json_message([](Json& json) { json["model"]["merges"][2] = Json::array({"a"}); }),
            "t: model.merges[2]: expected \"left right\" or [\"left\", \"right\"]");
  EXPECT_THAT(json_message([](Json& json) { json["added_tokens"][0]["id"] = "x"; }),
              HasSubstr("t: added_tokens[0]: "));
  EXPECT_THAT(json_message([](Json& json) { json["added_tokens"][0]["id"] = 5; }),
              HasSubstr("both have the id 5"));
}

TEST(BytePiece, IsReadStrictly) {
  EXPECT_EQ(parse_byte_piece("<0x0A>"), 10);
  EXPECT_EQ(parse_byte_piece("<0xFF>"), 255);
  for (const char* wrong : {"<0x0a>", "<0x0>", "<0x0A", "<0X0A>", "<0x0A>>", "0x0A", "<0xG0>"}) {
    EXPECT_EQ(parse_byte_piece(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace pleiad::text
