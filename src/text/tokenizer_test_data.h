#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/testing/json.h"
#include "base/testing/paths.h"
#include "text/space_mark.h"
#include "text/tokenizer.h"
#include "text/tokenizer_json.h"

// The golden tokenizer of tests/golden/text, for the tests of this folder.
// Written by tools/reference/text/make_tokenizer.py.
namespace pleiad::text {

inline std::string read_golden(const std::string& name) {
  const std::string path = golden_path("text/") + name;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("{}: golden data is missing", path);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

/// The arrays of a GGUF file, to be changed by a test before they are used.
struct GgufArrays {
  std::vector<std::string> tokens;
  std::vector<std::int32_t> types;
  std::vector<std::string> merges;

  static GgufArrays golden() {
    const Json json = json_from(read_golden("gguf_tokenizer.json"));
    return {json["tokens"].get<std::vector<std::string>>(),
            json["token_type"].get<std::vector<std::int32_t>>(),
            json["merges"].get<std::vector<std::string>>()};
  }

  /// Calls use(GgufTokenizerArrays&); the views live as long as the call.
  template <typename Use>
  auto with_views(Use use) const {
    const std::vector<std::string_view> token_views(tokens.begin(), tokens.end());
    const std::vector<std::string_view> merge_views(merges.begin(), merges.end());
    GgufTokenizerArrays arrays{.source = "test.gguf",
                               .model = "gemma4",
                               .pre = {},
                               .tokens = token_views,
                               .token_types = types,
                               .merges = merge_views,
                               .bos_id = 2,
                               .eos_id = 1,
                               .unk_id = 3,
                               .pad_id = 0,
                               .add_space_prefix = false};
    return use(arrays);
  }

  Tokenizer tokenizer() const {
    return with_views([](const GgufTokenizerArrays& arrays) {
      return Tokenizer(tokenizer_spec_from_gguf(arrays));
    });
  }
};

inline Tokenizer golden_tokenizer() {
  return load_tokenizer_json(golden_path("text/tokenizer.json"));
}

struct CorpusText {
  std::string text;
  std::vector<TokenId> ids;
  std::vector<TokenId> control_ids;  // of the same text, its control tokens read
  bool is_utf8 = true;
};

inline std::string decode_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int n_bits = 0;
  for (const char c : text.substr(0, text.find('='))) {
    bits = bits << 6 | static_cast<unsigned>(kDigits.find(c));
    if ((n_bits += 6) < 8) continue;
    n_bits -= 8;
    out += static_cast<char>(bits >> n_bits & 0xFF);
  }
  return out;
}

inline std::vector<CorpusText> golden_corpus() {
  std::vector<CorpusText> corpus;
  std::istringstream file(read_golden("corpus.jsonl"));
  for (std::string line; std::getline(file, line);) {
    const Json json = json_from(line);
    CorpusText text;
    text.is_utf8 = json.contains("text");
    text.text = text.is_utf8 ? json["text"].get<std::string>()
                             : decode_base64(json["base64"].get<std::string>());
    text.ids = json["ids"].get<std::vector<TokenId>>();
    text.control_ids =
        json.contains("control_ids") ? json["control_ids"].get<std::vector<TokenId>>() : text.ids;
    corpus.push_back(std::move(text));
  }
  return corpus;
}

/// What decoding makes of it: the space mark becomes a space.
inline std::string with_spaces(std::string text) {
  for (std::size_t at; (at = text.find(kSpaceMark)) != std::string::npos;) {
    text.replace(at, kSpaceMark.size(), " ");
  }
  return text;
}

}  // namespace pleiad::text
