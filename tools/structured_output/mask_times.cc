// What masks cost over the vocabulary of a tokenizer.json, for tools/structured_output:
// a line {"schema": ..., "texts": ["...", ...]} in, or {"syntax": "lark", "definition": ..., "texts": ...} for a
// grammar of the user, or {"parameters": ..., "arguments": [{...}, ...]} for calls of one tool with this schema; a line out: {"compile_ms": 0.4, "replies":
// [{"tokens": [...], "mask_us": [...], "took": 12, "masks": 7}, ...], "bytes": ...}, or {"failure": "..."} where the
// schema is refused. A reply is a text in the model's own tokens, one mask before each and one before its end, as far
// as the grammar takes it; "masks" is a hash of all their bits, to compare with that of another build. All replies of
// a schema share its grammar, as requests do; the first finds nothing worked out.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "constrain/grammars/reply_grammar.h"
#include "constrain/grammars/text_grammar.h"
#include "constrain/mix_hash.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/replies/tool_constraint.h"
#include "constrain/syntax.h"
#include "text/tokenizer_json.h"

namespace {

using namespace pleiad;
using Clock = std::chrono::steady_clock;

/// The smaller of what passed and of what this thread computed: what other programs took is not
/// counted, nor is reading the slower of the two clocks where little was done.
class Stopwatch {
 public:
  double microseconds() const {
    const std::chrono::duration<double, std::micro> passed = Clock::now() - begin_;
    return std::min(passed.count(), (processor_seconds() - processor_begin_) * 1e6);
  }

 private:
  static double processor_seconds() {
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }

  double processor_begin_ = processor_seconds();
  Clock::time_point begin_ = Clock::now();
};

constexpr const char* kTool = "tool";

/// A call of it as the model writes it, strings between tokens of their own.
std::vector<text::TokenId> call_tokens(const constrain::TokenTrie& trie,
                                       const text::Tokenizer& tokenizer, const Json& arguments) {
  constrain::Symbols symbols = {constrain::symbol_of(text::Tag::tool_call_open)};
  constrain::append(symbols, std::string("call:") + kTool);
  const constrain::Symbols spelled = constrain::spell(constrain::Syntax::call, arguments);
  symbols.insert(symbols.end(), spelled.begin(), spelled.end());
  symbols.push_back(constrain::symbol_of(text::Tag::tool_call_close));
  std::vector<text::TokenId> out;
  std::string text;
  for (const constrain::Symbol symbol : symbols) {
    if (symbol < constrain::kFirstTag) {
      text += static_cast<char>(symbol);
      continue;
    }
    for (const text::TokenId token : tokenizer.encode_text(text)) out.push_back(token);
    text.clear();
    out.push_back(trie.tokens_of(symbol).front());
  }
  return out;
}

/// One reply of `constraint`, which has just begun.
Json reply_of(sampling::TokenConstraint& constraint, std::size_t vocab_size,
              const std::vector<text::TokenId>& tokens) {
  Json out = {{"tokens", tokens}, {"mask_us", Json::array()}};
  std::vector<std::uint64_t> allowed((vocab_size + 63) / 64);
  std::size_t took = 0;
  std::uint64_t masks = 0;
  for (;; ++took) {
    const Stopwatch watch;
    constraint.allowed_next(allowed);
    out["mask_us"].push_back(watch.microseconds());
    for (const std::uint64_t word : allowed) masks = constrain::mix_hash(masks, word);
    if (took == tokens.size()) break;
    const auto token = static_cast<std::size_t>(tokens[took]);
    if ((allowed[token / 64] >> (token % 64) & 1) == 0) break;
    constraint.accept(tokens[took]);
  }
  out["took"] = took;
  out["masks"] = masks;
  return out;
}

/// A form, and what begins a reply of it.
struct Form {
  std::function<std::unique_ptr<sampling::TokenConstraint>()> begin;
  std::function<std::size_t()> memory_bytes;
};

Result<Form> form_of(const std::shared_ptr<const constrain::TokenTrie>& trie,
                     const Json& question) {
  namespace grammars = constrain::grammars;
  if (question.contains("syntax")) {
    auto grammar = grammars::make_reply_grammar(
        trie,
        grammars::text_grammar(question["syntax"].get<std::string>(), question["definition"]),
        constrain::Start::at_once);
    if (!grammar) return Failure{grammar.message()};
    return Form{[made = grammar.value()] { return std::make_unique<grammars::GrammarReply>(made); },
                [made = grammar.value()] { return made->memory_bytes(); }};
  }
  if (question.contains("parameters")) {
    const Json function = {{"name", kTool}, {"parameters", question["parameters"]}};
    const Json tools = {{{"type", "function"}, {"function", function}}};
    auto grammar = constrain::make_tool_grammar(trie, tools, {}, constrain::Start::at_once);
    if (!grammar) return Failure{grammar.message()};
    return Form{
        [made = grammar.value()] { return std::make_unique<constrain::GrammarConstraint>(made); },
        [made = grammar.value()] { return made->memory_bytes(); }};
  }
  auto grammar = constrain::make_json_grammar(trie, question["schema"], constrain::Start::at_once);
  if (!grammar) return Failure{grammar.message()};
  return Form{
      [made = grammar.value()] { return std::make_unique<constrain::GrammarConstraint>(made); },
      [made = grammar.value()] { return made->memory_bytes(); }};
}

Json times_of(const std::shared_ptr<const constrain::TokenTrie>& trie,
              const text::Tokenizer& tokenizer, const Json& question) {
  const Stopwatch watch;
  const Result<Form> form = form_of(trie, question);
  Json out = {{"compile_ms", watch.microseconds() / 1000}};
  if (!form) {
    out["failure"] = form.message();
    return out;
  }
  std::vector<std::vector<text::TokenId>> replies;
  for (const Json& text : question.value("texts", Json::array())) {
    replies.push_back(tokenizer.encode_text(text.get<std::string>()));
  }
  for (const Json& arguments : question.value("arguments", Json::array())) {
    replies.push_back(call_tokens(*trie, tokenizer, arguments));
  }
  out["replies"] = Json::array();
  for (const std::vector<text::TokenId>& tokens : replies) {
    try {
      const auto reply = form.value().begin();
      out["replies"].push_back(reply_of(*reply, trie->vocab_size(), tokens));
    } catch (const sampling::ConstraintError& error) {
      out["given_up"] = error.what();
    }
  }
  out["bytes"] = form.value().memory_bytes();
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
    const Stopwatch watch;
    const auto trie = std::make_shared<const constrain::TokenTrie>(vocabulary, ends);
    std::cout << to_text(Json{{"trie_ms", watch.microseconds() / 1000},
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
