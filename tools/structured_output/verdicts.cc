// Which texts the grammar of a schema takes, for tools/structured_output: a line
// {"schema": ..., "texts": ["...", ...], "standard": true} in, a line out: {"took": [true, ...],
// "notes": [...], "remarks": [...], "milliseconds": 1.5}, or {"failure": "..."} where the schema is
// refused. "notes": what is not enforced; "remarks": what else is told of the schema.
// "standard": as the standard reads schemas, not as requests do; "any_order": properties come in any
// order. "replies": so many replies of
// bytes that are chosen at random among those allowed come back as "written"; null where one grew
// too long. "begins": texts of which it is asked whether a reply may begin with them, under the same
// name.
#include <chrono>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "base/json.h"
#include "constrain/replies/json_constraint.h"
#include "text/vocabulary.h"

namespace {

using namespace pleiad;

/// Bytes and control tokens.
std::shared_ptr<const constrain::TokenTrie> bytes_alone() {
  std::vector<std::string> pieces(text::kTagTexts.begin(), text::kTagTexts.end());
  std::vector<text::PieceKind> kinds(pieces.size(), text::PieceKind::control);
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (std::size_t byte = 0; byte < 256; ++byte) {
    pieces.push_back(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">");
    kinds.push_back(text::PieceKind::byte);
  }
  text::TokenizerSpec spec;
  spec.source = "bytes";
  spec.pieces.assign(pieces.begin(), pieces.end());
  spec.kinds = kinds;
  const text::Vocabulary vocabulary(spec);
  return std::make_shared<constrain::TokenTrie>(
      vocabulary, std::vector{*vocabulary.tag(text::Tag::turn_close)});
}

/// Whether it takes the text, or at least `begins` with it; why not, where it gives up.
Json takes(const std::shared_ptr<constrain::Grammar>& grammar, const std::string& text,
           bool begins = false) {
  try {
    auto reply = constrain::begin_reply(grammar);
    return reply && reply.value()->begin_with(text) && (begins || reply.value()->may_end());
  } catch (const sampling::ConstraintError& error) {
    return error.what();
  }
}

/// Closing bytes are likelier, or values would nest for ever.
Json random_reply(const std::shared_ptr<constrain::Grammar>& grammar, std::mt19937& random) {
  constexpr std::size_t kLongest = 2000;
  const auto reply = std::move(constrain::begin_reply(grammar)).value();
  const std::size_t n_tags = text::kTagTexts.size();
  std::vector<std::uint64_t> allowed((n_tags + 256 + 63) / 64);
  std::string text;
  while (text.size() < kLongest) {
    reply->allowed_next(allowed);
    std::vector<std::int32_t> any, closing;
    bool may_end = false;
    for (std::size_t token = 0; token < n_tags + 256; ++token) {
      if ((allowed[token / 64] >> (token % 64) & 1) == 0) continue;
      any.push_back(static_cast<std::int32_t>(token));
      may_end = may_end || token < n_tags;
      if (token >= n_tags && std::string_view("]}\"").find(static_cast<char>(token - n_tags)) !=
                                 std::string_view::npos) {
        closing.push_back(any.back());
      }
    }
    if (any.empty()) return "stuck: " + text;
    if (may_end) return text;
    const auto& from = !closing.empty() && random() % 3 != 0 ? closing : any;
    const std::int32_t token = from[random() % from.size()];
    reply->accept(token);
    text += static_cast<char>(token - static_cast<std::int32_t>(n_tags));
  }
  return nullptr;
}

Json verdict(const std::shared_ptr<const constrain::TokenTrie>& trie, const Json& question) {
  constrain::SchemaPolicy policy;
  policy.closed_objects = policy.implied_types = !question.value("standard", false);
  if (question.value("any_order", false)) policy.order = constrain::PropertyOrder::any;
  const auto begin = std::chrono::steady_clock::now();
  const auto grammar =
      constrain::make_json_grammar(trie, question["schema"], constrain::Start::at_once, policy);
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
  Json out = {{"milliseconds", passed.count()}};
  if (!grammar) {
    out["failure"] = grammar.message();
    return out;
  }
  out["took"] = Json::array();
  for (const Json& text : question["texts"]) {
    out["took"].push_back(takes(grammar.value(), text.get<std::string>()));
  }
  for (const Json& text : question.value("begins", Json::array())) {
    out["begins"].push_back(takes(grammar.value(), text.get<std::string>(), true));
  }
  std::mt19937 random(7);
  for (int i = 0; i < question.value("replies", 0); ++i) {
    try {
      out["written"].push_back(random_reply(grammar.value(), random));
    } catch (const sampling::ConstraintError&) {
      out["written"].push_back(nullptr);
    }
  }
  out["notes"] = grammar.value()->unenforced();
  out["remarks"] = grammar.value()->notes();
  out["states"] = grammar.value()->automaton().n_states();
  return out;
}

}  // namespace

int main() {
  const auto trie = bytes_alone();
  for (std::string line; std::getline(std::cin, line);) {
    JsonLimits limits;
    limits.depth = 200;
    std::cout << to_text(verdict(trie, parse_json(line, "a line", limits))) << std::endl;
  }
}
