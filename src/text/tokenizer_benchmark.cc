// Loading and encoding with a made-up vocabulary of Gemma's size.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/json.h"
#include "text/space_mark.h"
#include "text/tokenizer.h"
#include "text/tokenizer_json.h"

namespace pleiad::text {
namespace {

constexpr std::size_t kPieces = 262144;
constexpr std::size_t kMerges = 514906;

struct SyntheticVocabulary {
  std::vector<std::string> pieces;
  std::vector<std::pair<std::string, std::string>> merges;
  std::size_t first_word = 0;

  SyntheticVocabulary() {
    for (const std::string_view tag : kTagTexts) pieces.emplace_back(tag);
    for (int byte = 0; byte < 256; ++byte) pieces.push_back(fmt::format("<0x{:02X}>", byte));
    first_word = pieces.size();
    for (char letter = 'a'; letter <= 'z'; ++letter) pieces.emplace_back(1, letter);
    for (const std::string_view other : {kSpaceMark, std::string_view("."), std::string_view(","),
                                         std::string_view("\n"), std::string_view("\xC3\xA9")}) {
      pieces.emplace_back(other);
    }
    add_words();
    add_merges();
  }

  std::string json() const {
    std::string out = R"({"version":"1.0","added_tokens":[)";
    for (std::size_t id = 0; id < kTagTexts.size(); ++id) {
      out += fmt::format(R"({}{{"id":{},"content":{},"special":true,"normalized":false}})",
                         id ? "," : "", id, to_text(Json(kTagTexts[id])));
    }
    out += R"(],"normalizer":{"type":"Replace","pattern":{"String":" "},"content":"▁"},)"
           R"("pre_tokenizer":null,"decoder":{"type":"Sequence","decoders":[{"type":"Replace",)"
           R"("pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"},{"type":"Fuse"}]},)"
           R"("model":{"type":"BPE","byte_fallback":true,"fuse_unk":true,"vocab":{)";
    for (std::size_t id = 0; id < pieces.size(); ++id) {
      out += fmt::format("{}{}:{}", id ? "," : "", to_text(Json(pieces[id])), id);
    }
    out += R"(},"merges":[)";
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
      out += fmt::format("{}[{},{}]", rank ? "," : "", to_text(Json(merges[rank].first)),
                         to_text(Json(merges[rank].second)));
    }
    return out += "]}}";
  }

 private:
  /// Every word is a longer one's beginning or end, so that merges reach it.
  void add_words() {
    std::mt19937 random(1);
    std::unordered_set<std::string> known(pieces.begin(), pieces.end());
    for (std::string run = "aa"; run.size() <= 32; run += run) {
      if (known.insert(run).second) pieces.push_back(run);
    }
    while (pieces.size() < kPieces) {
      // Short pieces are chosen often: the first are used by many.
      const std::size_t n_words = pieces.size() - first_word;
      const std::size_t limit = random() % 2 ? n_words : std::min<std::size_t>(n_words, 2000);
      const std::string& left = pieces[first_word + random() % limit];
      const std::string& right =
          pieces[first_word + random() % std::min<std::size_t>(n_words, 800)];
      if (right.starts_with(kSpaceMark) || left.size() + right.size() > 14) continue;
      if (left.find_first_of(".,\n") != left.npos || right.find_first_of(".,\n") != right.npos) {
        continue;
      }
      std::string joined = left + right;
      if (known.insert(joined).second) pieces.push_back(std::move(joined));
    }
  }

  void add_merges() {
    const std::unordered_set<std::string> known(pieces.begin() + static_cast<long>(first_word),
                                                pieces.end());
    for (std::size_t id = first_word; id < pieces.size() && merges.size() < kMerges; ++id) {
      const std::string& piece = pieces[id];
      for (std::size_t at = 1; at < piece.size() && merges.size() < kMerges; ++at) {
        std::string left = piece.substr(0, at);
        std::string right = piece.substr(at);
        if (known.contains(left) && known.contains(right)) {
          merges.emplace_back(std::move(left), std::move(right));
        }
      }
    }
  }
};

const SyntheticVocabulary& vocabulary() {
  static const SyntheticVocabulary made;
  return made;
}

const Tokenizer& tokenizer() {
  static const Tokenizer made = parse_tokenizer_json(vocabulary().json(), "synthetic");
  return made;
}

std::string prose(std::size_t size) {
  std::mt19937 random(2);
  const auto& pieces = vocabulary().pieces;
  std::string out;
  while (out.size() < size) {
    const std::string& word =
        pieces[vocabulary().first_word + random() % (pieces.size() - vocabulary().first_word)];
    if (!word.starts_with(kSpaceMark)) (out += word) += random() % 12 ? " " : ".\n";
  }
  out.resize(size);
  return out;
}

void load_json(benchmark::State& state) {
  const std::string json = vocabulary().json();
  for (auto _ : state) benchmark::DoNotOptimize(parse_tokenizer_json(json, "synthetic"));
  state.counters["pieces"] = static_cast<double>(vocabulary().pieces.size());
  state.counters["merges"] = static_cast<double>(vocabulary().merges.size());
  state.counters["bytes"] = static_cast<double>(json.size());
}
BENCHMARK(load_json)->Unit(benchmark::kMillisecond);

void load_gguf(benchmark::State& state) {
  const auto& made = vocabulary();
  const std::vector<std::string_view> tokens(made.pieces.begin(), made.pieces.end());
  const std::vector<std::int32_t> types(tokens.size(), 1);
  std::vector<std::string> lines;
  for (const auto& [left, right] : made.merges) lines.push_back(left + " " + right);
  const std::vector<std::string_view> merges(lines.begin(), lines.end());
  const GgufTokenizerArrays arrays{.source = "synthetic",
                                   .model = "gemma4",
                                   .pre = {},
                                   .tokens = tokens,
                                   .token_types = types,
                                   .merges = merges,
                                   .bos_id = 2,
                                   .eos_id = 1,
                                   .unk_id = 3,
                                   .pad_id = 0,
                                   .add_space_prefix = false};
  for (auto _ : state) benchmark::DoNotOptimize(Tokenizer(tokenizer_spec_from_gguf(arrays)));
}
BENCHMARK(load_gguf)->Unit(benchmark::kMillisecond);

void encode(benchmark::State& state, const std::string& text) {
  const Tokenizer& with = tokenizer();
  std::size_t n_tokens = 0;
  for (auto _ : state) n_tokens = with.encode_text(text).size();
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
  state.counters["tokens"] = static_cast<double>(n_tokens);
}

void encode_prose(benchmark::State& state) { encode(state, prose(1 << 20)); }
BENCHMARK(encode_prose)->Unit(benchmark::kMillisecond);

void encode_one_letter(benchmark::State& state) { encode(state, std::string(1 << 20, 'a')); }
BENCHMARK(encode_one_letter)->Unit(benchmark::kMillisecond);

/// No space anywhere: everything is one run.
void encode_one_word(benchmark::State& state) {
  std::mt19937 random(3);
  std::string text(1 << 20, ' ');
  for (char& c : text) c = static_cast<char>('a' + random() % 26);
  encode(state, text);
}
BENCHMARK(encode_one_word)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pleiad::text
