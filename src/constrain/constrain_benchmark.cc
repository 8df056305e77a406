// Masks over a made-up vocabulary of Gemma's size: words with and without a space before them,
// characters of several bytes, digits, and the punctuation that JSON is made of.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/testing/json.h"
#include "constrain/replies/json_constraint.h"
#include "text/vocabulary.h"

namespace pleiad::constrain {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPieces = 262144;
constexpr std::string_view kSpace = "\xE2\x96\x81";

struct BenchVocabulary {
  std::vector<std::string> pieces;
  std::vector<text::PieceKind> kinds;
  std::unique_ptr<text::Vocabulary> vocabulary;
  std::vector<text::TokenId> ends;

  BenchVocabulary() {
    for (const std::string_view tag : text::kTagTexts) add(tag, text::PieceKind::control);
    for (int byte = 0; byte < 256; ++byte) {
      add(fmt::format("<0x{:02X}>", byte), text::PieceKind::byte);
    }
    for (char c = '!'; c <= '~'; ++c) add(std::string(1, c));
    add("\n");
    for (std::size_t n = 1; n <= 31; ++n) {
      std::string blanks;
      for (std::size_t i = 0; i < n; ++i) blanks += kSpace;
      add(blanks);
      add("\n" + blanks);
    }
    add_words();
    text::TokenizerSpec spec;
    spec.source = "benchmark";
    spec.pieces.assign(pieces.begin(), pieces.end());
    spec.kinds = kinds;
    vocabulary = std::make_unique<text::Vocabulary>(spec);
    ends = {*vocabulary->tag(text::Tag::turn_close)};
  }

 private:
  void add(std::string_view piece, text::PieceKind kind = text::PieceKind::normal) {
    if (!known_.insert(std::string(piece)).second) return;
    pieces.emplace_back(piece);
    kinds.push_back(kind);
  }

  void add_words() {
    std::mt19937 random(1);
    const std::vector<std::string> marks = {"\"", "\":", "\",", "\"}", "{\"", "[\"", "\"]", "},",
                                            "]}", ".",   ",",   "'s",  "()",  "\\n", "://", "=\""};
    while (pieces.size() < kPieces) {
      std::string word;
      const std::size_t length = 2 + random() % 9;
      const bool is_latin = random() % 10 < 7;
      for (std::size_t i = 0; i < length; ++i) {
        if (is_latin) {
          word += static_cast<char>('a' + std::min(random() % 26, random() % 26));
        } else {
          word += static_cast<char>(0xD0 + random() % 2);  // Cyrillic
          word += static_cast<char>(0x80 + random() % 64);
        }
      }
      const auto kind = random() % 100;
      if (kind < 45) word.insert(0, kSpace);
      if (kind >= 95) word += marks[random() % marks.size()];
      if (kind == 94) word = marks[random() % marks.size()] + marks[random() % marks.size()];
      if (kind == 93) word = fmt::format("{}", random() % 1000);
      add(word);
    }
  }

  std::unordered_set<std::string> known_;
};

const BenchVocabulary& bench_vocabulary() {
  static const BenchVocabulary vocabulary;
  return vocabulary;
}

const std::shared_ptr<const TokenTrie>& trie() {
  static const auto trie =
      std::make_shared<const TokenTrie>(*bench_vocabulary().vocabulary, bench_vocabulary().ends);
  return trie;
}

void build_trie(benchmark::State& state) {
  for (auto _ : state) {
    const TokenTrie built(*bench_vocabulary().vocabulary, bench_vocabulary().ends);
    state.counters["nodes"] = built.n_nodes();
    state.counters["MB"] = static_cast<double>(built.memory_bytes()) / 1e6;
  }
}
BENCHMARK(build_trie)->Unit(benchmark::kMillisecond);

Json person_schema() {
  return json_from(R"({"type":"object","properties":{
    "name":{"type":"string","minLength":1,"maxLength":60},
    "born":{"type":"string","format":"date"},
    "height":{"type":"number","minimum":0,"maximum":3},
    "role":{"enum":["author","editor","reader"]},
    "address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"},
      "code":{"type":"string","pattern":"^[0-9]{5}$"}},"required":["city"]},
    "books":{"type":"array","items":{"type":"object","properties":{"title":{"type":"string"},
      "year":{"type":"integer","minimum":0,"maximum":2100}},"required":["title","year"]}}},
    "required":["name","books"]})");
}

constexpr std::string_view kPerson =
    R"({"name": "maria of the long road", "born": "1931-02-28", "height": 1.74, "role": "editor", )"
    R"("address": {"street": "under the old trees", "city": "somewhere", "code": "01234"}, )"
    R"("books": [{"title": "an evening by the sea", "year": 1960}, )"
    R"({"title": "\"and\" a морнинг", "year": 1972}]})";

void compile(benchmark::State& state) {
  const Json schema = person_schema();
  trie();  // made once
  for (auto _ : state) {
    benchmark::DoNotOptimize(make_json_grammar(trie(), schema, Start::at_once).value());
  }
}
BENCHMARK(compile)->Unit(benchmark::kMicrosecond);

/// The text in tokens, the longest first.
std::vector<text::TokenId> tokens_of(std::string_view text) {
  std::vector<text::TokenId> out;
  while (!text.empty()) {
    text::TokenId best = -1;
    std::size_t best_length = 0;
    for (std::uint32_t node = 0; node < trie()->n_nodes();) {
      const std::uint32_t depth = trie()->depth(node);
      if (depth == 0) {
        ++node;
        continue;
      }
      if (depth > text.size() || trie()->symbol(node) != symbol_of(text[depth - 1])) {
        node = trie()->next(node);
        continue;
      }
      if (!trie()->tokens(node).empty() && depth > best_length) {
        best = trie()->tokens(node).front();
        best_length = depth;
      }
      ++node;
    }
    out.push_back(best);
    text.remove_prefix(best_length);
  }
  return out;
}

/// One reply, token by token. Cold: with a new grammar each time.
void masks(benchmark::State& state, const Json& format, bool cold) {
  const std::vector<text::TokenId> tokens = tokens_of(kPerson);
  std::vector<std::uint64_t> allowed((kPieces + 63) / 64);
  auto grammar = make_json_grammar(trie(), format, Start::at_once).value();
  std::vector<double> times;
  if (!cold) {
    GrammarConstraint constraint(grammar);
    for (const text::TokenId token : tokens) {
      constraint.allowed_next(allowed);
      constraint.accept(token);
    }
  }
  for (auto _ : state) {
    if (cold) grammar = make_json_grammar(trie(), format, Start::at_once).value();
    GrammarConstraint constraint(grammar);
    for (const text::TokenId token : tokens) {
      const auto begin = Clock::now();
      constraint.allowed_next(allowed);
      times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
      constraint.accept(token);
    }
  }
  std::ranges::sort(times);
  state.counters["tokens"] = static_cast<double>(tokens.size());
  state.counters["median_us"] = times[times.size() / 2];
  state.counters["p99_us"] = times[times.size() * 99 / 100];
  state.counters["max_us"] = times.back();
  state.counters["tables_MB"] = static_cast<double>(grammar->memory_bytes()) / 1e6;
}
BENCHMARK_CAPTURE(masks, any_json_cold, Json("json"), true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(masks, any_json_warm, Json("json"), false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(masks, schema_cold, person_schema(), true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(masks, schema_warm, person_schema(), false)->Unit(benchmark::kMillisecond);

/// The rival: every token tried, inside a string.
void try_every_token(benchmark::State& state) {
  GrammarConstraint constraint(make_json_grammar(trie(), Json("json"), Start::at_once).value());
  for (const text::TokenId token : tokens_of("{\"a\": \"b")) constraint.accept(token);
  for (auto _ : state) {
    int n_allowed = 0;
    for (std::size_t token = 0; token < kPieces; ++token) {
      n_allowed += constraint.allows(static_cast<text::TokenId>(token)) ? 1 : 0;
    }
    benchmark::DoNotOptimize(n_allowed);
  }
}
BENCHMARK(try_every_token)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pleiad::constrain
