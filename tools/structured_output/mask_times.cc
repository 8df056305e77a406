// What masks cost over the vocabulary of a tokenizer.json, for tools/structured_output:
// a line {"schema": ..., "texts": ["...", ...]} in, a line out: {"compile_ms": 0.4, "replies":
// [{"tokens": [...], "mask_us": [...], "took": 12}, ...], "bytes": ...}, or {"failure": "..."} where the schema
// is refused. A reply is a text in the model's own tokens, one mask
// before each and one before its end, as far as the grammar takes it. All replies of a schema share its
// grammar, as requests do; the first finds nothing worked out.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "constrain/replies/json_constraint.h"
#include "text/tokenizer_json.h"

namespace {

using namespace pleiad;
using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

Json reply_of(const std::shared_ptr<constrain::Grammar>& grammar,
              const std::vector<text::TokenId>& tokens) {
  Json out = {{"tokens", tokens}, {"mask_us", Json::array()}};
  auto reply = constrain::begin_reply(grammar);
  std::vector<std::uint64_t> allowed((grammar->trie().vocab_size() + 63) / 64);
  std::size_t took = 0;
  for (; reply; ++took) {
    const auto begin = Clock::now();
    reply.value()->allowed_next(allowed);
    out["mask_us"].push_back(microseconds_since(begin));
    if (took == tokens.size()) break;
    const auto token = static_cast<std::size_t>(tokens[took]);
    if ((allowed[token / 64] >> (token % 64) & 1) == 0) break;
    reply.value()->accept(tokens[took]);
  }
  out["took"] = took;
  return out;
}

Json times_of(const std::shared_ptr<const constrain::TokenTrie>& trie,
              const text::Tokenizer& tokenizer, const Json& question) {
  const auto begin = Clock::now();
  const auto grammar =
      constrain::make_json_grammar(trie, question["schema"], constrain::Start::at_once);
  Json out = {{"compile_ms", microseconds_since(begin) / 1000}};
  if (!grammar) {
    out["failure"] = grammar.message();
    return out;
  }
  out["replies"] = Json::array();
  for (const Json& text : question["texts"]) {
    try {
      out["replies"].push_back(
          reply_of(grammar.value(), tokenizer.encode_text(text.get<std::string>())));
    } catch (const sampling::ConstraintError& error) {
      out["given_up"] = error.what();
    }
  }
  out["bytes"] = grammar.value()->memory_bytes();
  out["states"] = grammar.value()->automaton().n_states();
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: constrain_mask_times tokenizer.json < questions\n";
    return 2;
  }
  try {
    const text::Tokenizer tokenizer = text::load_tokenizer_json(argv[1]);
    const text::Vocabulary& vocabulary = tokenizer.vocabulary();
    std::vector<text::TokenId> ends;
    if (const auto close = vocabulary.tag(text::Tag::turn_close)) ends.push_back(*close);
    if (ends.empty()) throw Error("{}: it has no \"<turn|>\"", argv[1]);
    const auto begin = Clock::now();
    const auto trie = std::make_shared<const constrain::TokenTrie>(vocabulary, ends);
    std::cout << to_text(Json{{"trie_ms", microseconds_since(begin) / 1000},
                              {"trie_bytes", trie->memory_bytes()},
                              {"plain_tokens", trie->n_plain_tokens()},
                              {"nodes", trie->n_nodes()},
                              {"end", ends.front()}})
              << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
      JsonLimits limits;
      limits.depth = 200;
      std::cout << to_text(times_of(trie, tokenizer, parse_json(line, "a line", limits)))
                << std::endl;
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
