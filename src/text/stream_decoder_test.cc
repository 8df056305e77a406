#include "text/stream_decoder.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <random>

#include "text/reply_stream.h"
#include "text/tokenizer_test_data.h"

namespace pleiad::text {
namespace {

class StreamDecoderTest : public testing::Test {
 protected:
  TokenId byte(int value) const {
    return tokenizer_.vocabulary().byte_piece(static_cast<std::uint8_t>(value));
  }
  TokenId tag(Tag tag) const { return tokenizer_.vocabulary().tag(tag).value(); }

  Tokenizer tokenizer_ = golden_tokenizer();
};

TEST_F(StreamDecoderTest, HoldsBackAnUnfinishedCharacter) {
  StreamDecoder decoder(tokenizer_.vocabulary());
  EXPECT_EQ(decoder.push(byte(0xE2)), "");
  EXPECT_EQ(decoder.push(byte(0x82)), "");
  EXPECT_EQ(decoder.push(byte(0xAC)), "€");
  EXPECT_EQ(decoder.push(byte(0xE2)), "");
  EXPECT_EQ(decoder.finish(), "\uFFFD");
  EXPECT_EQ(decoder.finish(), "");
  for (const int value : {0xF0, 0x9F, 0x99}) EXPECT_EQ(decoder.push(byte(value)), "");
  EXPECT_EQ(decoder.finish(), "\uFFFD\uFFFD\uFFFD") << "one for each byte";
}

TEST_F(StreamDecoderTest, ReplacesEachByteThatIsNotText) {
  StreamDecoder decoder(tokenizer_.vocabulary());
  EXPECT_EQ(decoder.push(byte(0xFF)), "\uFFFD");
  EXPECT_EQ(decoder.push(byte(0xE2)), "");
  EXPECT_EQ(decoder.push(byte(0x82)), "");
  EXPECT_EQ(decoder.push(tokenizer_.encode_text("a")[0]), "\uFFFD\uFFFDa");
}

TEST_F(StreamDecoderTest, ShowsControlTokensOnlyWhenAsked) {
  const std::vector<TokenId> tokens = {tag(Tag::bos), tokenizer_.encode_text("a")[0],
                                       tag(Tag::turn_close)};
  EXPECT_EQ(tokenizer_.decode(tokens), "a");
  EXPECT_EQ(tokenizer_.decode_with_control(tokens), "<bos>a<turn|>");
}

TEST_F(StreamDecoderTest, IgnoresIdsThatAreNotInTheVocabulary) {
  StreamDecoder decoder(tokenizer_.vocabulary());
  EXPECT_EQ(decoder.push(-1), "");
  EXPECT_EQ(decoder.push(1 << 30), "");
}

TEST_F(StreamDecoderTest, GivesInPartsWhatDecodingGivesAsAWhole) {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::vector<TokenId> tokens(random() % 40);
    for (TokenId& token : tokens) {
      token = static_cast<TokenId>(random() % 3 ? 238 + random() % 256 : random() % 3500);
    }
    const DecodeOptions options{.show_control = round % 2 == 0};
    StreamDecoder decoder(tokenizer_.vocabulary(), options);
    std::string streamed;
    for (const TokenId token : tokens) {
      const std::string part = decoder.push(token);
      ASSERT_TRUE(simdjson::validate_utf8(part.data(), part.size()));
      streamed += part;
    }
    streamed += decoder.finish();
    ASSERT_EQ(streamed, decode_all(tokenizer_.vocabulary(), tokens, options));
  }
}

TEST_F(StreamDecoderTest, FeedsTheReplyParserByToken) {
  ReplyStream stream(tokenizer_.vocabulary(), {.spelled_tags = false});
  Reply reply;
  const auto add = [&](std::vector<ReplyEvent> events) {
    for (ReplyEvent& event : events) reply.add(std::move(event));
  };
  const auto tokens = tokenizer_.encode_with_control(
      "<|channel>thought\nhm\n<channel|>日本 ok<|tool_call>call:f{a:<|\"|>é<|\"|>}<tool_call|>");
  for (const TokenId token : tokens) add(stream.push(token));
  for (const TokenId token : tokenizer_.encode_text("write <|tool_call>")) add(stream.push(token));
  add(stream.push(tag(Tag::turn_close)));
  EXPECT_TRUE(stream.parser().ended());
  add(stream.finish(false));
  EXPECT_EQ(reply.thinking, "hm");
  EXPECT_EQ(reply.content, "日本 okwrite <|tool_call>");
  ASSERT_EQ(reply.tool_calls.size(), 1u);
  EXPECT_EQ(reply.tool_calls[0].name, "f");
  EXPECT_EQ(to_text(reply.tool_calls[0].arguments), R"({"a":"é"})");
}

}  // namespace
}  // namespace pleiad::text
