#include "convert/hf_tokenizer.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/testing/paths.h"
#include "text/tokenizer.h"
#include "text/tokenizer_json.h"
#include "text/tokenizer_spec.h"

namespace pleiad::convert {
namespace {

const std::string kDemo = source_path("models/demo/pleiad-demo.gguf");

text::Tokenizer from_gguf(const gguf::File& file) {
  const auto tokens = file.metadata().find_strings("tokenizer.ggml.tokens").value();
  const auto merges = file.metadata().find_strings("tokenizer.ggml.merges").value();
  std::vector<std::int32_t> types;
  const auto wide = file.metadata().find_integers("tokenizer.ggml.token_type").value();
  for (const std::int64_t type : wide) types.push_back(static_cast<std::int32_t>(type));
  text::GgufTokenizerArrays arrays;
  arrays.model = "gemma4";
  arrays.tokens = tokens;
  arrays.token_types = types;
  arrays.merges = merges;
  arrays.bos_id = file.metadata().find_integer("tokenizer.ggml.bos_token_id");
  return text::Tokenizer(text::tokenizer_spec_from_gguf(arrays));
}

TEST(HfTokenizer, GivesTheTokensOfTheFileItWasMadeFrom) {
  const gguf::File file = gguf::File::open(kDemo);
  const text::Tokenizer expected = from_gguf(file);
  const text::Tokenizer found = text::parse_tokenizer_json(make_tokenizer_json(file), "made");
  EXPECT_EQ(found.vocabulary().bos(), expected.vocabulary().bos());
  for (const char* sentence : {"The cat sat on the mat.", "  two  spaces\n\n\nand lines\t",
                               "naïve “quotes” 東京 🙂", "<bos><|turn>user\nHi<turn|>\n",
                               "a\"b\\c<|\"|>d", "x <unused7> y"}) {
    EXPECT_EQ(found.encode_with_control(sentence), expected.encode_with_control(sentence))
        << sentence;
  }
}

TEST(HfTokenizer, NamesTheSpecialTokens) {
  const Json config = make_tokenizer_config(gguf::File::open(kDemo));
  EXPECT_EQ(config["bos_token"], "<bos>");
  EXPECT_EQ(config["tokenizer_class"], "PreTrainedTokenizerFast");
}

}  // namespace
}  // namespace pleiad::convert
