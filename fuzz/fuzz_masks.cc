// Any automaton, and masks over a vocabulary whose subtrees are taken as a whole, beside the slow
// matcher token by token; and some token may come at each place. The bytes up to the first 0xFF
// write the automaton, three bytes an edge, a call, a jump, or an object with free names; each
// further byte picks one of the allowed tokens.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "constrain/replies/grammar.h"
#include "constrain/testing/slow_matcher.h"
#include "constrain/texts/characters.h"
#include "constrain/value_writer.h"
#include "text/vocabulary.h"

namespace {

using namespace pleiad;
using constrain::Symbol;

/// Bytes, control tokens, and texts of up to four of some characters.
struct Tokens {
  std::vector<std::string> pieces;
  std::vector<text::PieceKind> kinds;
  std::unique_ptr<text::Vocabulary> vocabulary;
  std::shared_ptr<const constrain::TokenTrie> trie;

  Tokens() {
    for (const std::string_view tag : text::kTagTexts)
      add(std::string(tag), text::PieceKind::control);
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    for (std::size_t byte = 0; byte < 256; ++byte) {
      add(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">",
          text::PieceKind::byte);
    }
    std::vector<std::string> longer = {""};
    for (int length = 1; length <= 4; ++length) {
      std::vector<std::string> next;
      for (const std::string& before : longer) {
        for (const char* character : {"a", "b", "Z", "7", "\xC3\xA9"})
          next.push_back(before + character);
      }
      for (const std::string& piece : next) add(piece, text::PieceKind::normal);
      longer = std::move(next);
    }
    for (const char* piece : {"a\"", "\"b",
                              "\xE2\x96\x81"
                              "a",
                              "ab,", "\"\"", "aaaaaaaa", "{\"a", "\":", ",\"b\":", "\"a\":a,\"",
                              "{\"a\":a,\"a\":", ",a:", "a:a,b:", "b\":"}) {
      add(piece, text::PieceKind::normal);
    }
    text::TokenizerSpec spec;
    spec.source = "fuzz";
    spec.pieces.assign(pieces.begin(), pieces.end());
    spec.kinds = kinds;
    vocabulary = std::make_unique<text::Vocabulary>(spec);
    trie = std::make_shared<constrain::TokenTrie>(
        *vocabulary, std::vector{*vocabulary->tag(text::Tag::turn_close)});
  }

  void add(const std::string& piece, text::PieceKind kind) {
    pieces.push_back(piece);
    kinds.push_back(kind);
  }
};

/// The names of an object, some endless, some few, with values that may be of different heights.
std::vector<constrain::OtherForm> names_of(std::uint8_t how, constrain::Syntax syntax,
                                           const constrain::Rule& value,
                                           const constrain::Rule& other_value) {
  const auto few = [&](std::vector<std::string_view> names, const constrain::Rule& of_names) {
    std::vector<constrain::Symbols> texts;
    for (const std::string_view name : names) {
      texts.push_back(constrain::spell_inside(syntax, name));
    }
    return constrain::OtherForm{constrain::dfa_of(texts), of_names};
  };
  constrain::Dfa endless;  // a, then any b
  endless.states = {{{{'a', 'a', 1}}, false}, {{{'b', 'b', 1}}, true}};
  switch (how % 6) {
    case 0:
      return {{constrain::any_key(syntax), value}};
    case 1:
      return {few({"a"}, value)};
    case 2:
      return {few({"a", "ab", "b"}, value)};
    case 3:
      return {{endless, value}};
    case 4:
      return {{endless, value}, few({"b"}, other_value)};
    default:
      return {few({"a", "bb"}, value), few({"ab", "b", "Z"}, other_value)};
  }
}

struct Written {
  constrain::Automaton automaton;
  constrain::StateId start = 0;
  bool may_get_stuck = false;  // a count that has no room, or needs more, may leave no way on
};

/// Eight states; the first is the start, of which rules with counters are called too.
Written automaton_of(std::string_view text) {
  constexpr std::size_t kStates = 8;
  constexpr std::size_t kMostParts = 24;
  Written out;
  constrain::Automaton& automaton = out.automaton;
  std::vector<constrain::StateId> states;
  for (std::size_t i = 0; i < kStates; ++i) states.push_back(automaton.add_state());
  struct Range {
    Symbol first, last;
  };
  static constexpr Range kRanges[] = {
      {'a', 'z'}, {'A', 'Z'},   {'0', '9'},   {' ', '~'},
      {'a', 'a'}, {'b', 'b'},   {0xC3, 0xC3}, {0xA9, 0xA9},
      {0, 0xFF},  {0xC2, 0xF4}, {0x80, 0xBF}, {'"', '"'},
      {'b', 'z'}, {' ', '!'},   {',', ','},   {constrain::kEnd, constrain::kEnd}};
  // An object of four keys, of which two are needed.
  constexpr std::size_t kKeyState = 5;
  const constrain::Counter keys = constrain::Counter::of_keys(15);
  const constrain::ObjectId object =
      automaton.add_object({.key = states[kKeyState], .others = 0, .required = 3});
  const bool is_call = !text.empty() && (static_cast<std::uint8_t>(text[0]) >> 6 & 1) != 0;
  const auto syntax = is_call ? constrain::Syntax::call : constrain::Syntax::json;
  text = text.substr(0, 3 * kMostParts);
  for (; text.size() >= 3; text.remove_prefix(3)) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const constrain::StateId from = states[byte(0) % kStates];
    const constrain::StateId to = states[byte(0) / kStates % kStates];
    const std::uint8_t how = byte(1);
    const Range range = kRanges[byte(2) % std::size(kRanges)];
    const constrain::Counter counter = {
        byte(2) % 4U, byte(2) % 3 == 0 ? constrain::kUnbounded : byte(2) % 7U + 1};
    const bool counts = how < 160 && (how % 2 == 1 || how % 8 == 2);
    const bool waits_for_keys = how >= 238 && how < 252;
    out.may_get_stuck = out.may_get_stuck || counts || waits_for_keys;
    if (how < 160) {
      automaton.add_edge(from, constrain::Edge{.first = range.first,
                                               .last = range.last,
                                               .counts = how % 2 == 1,
                                               .needs_none = how % 8 == 2,
                                               .target = to});
    } else if (how < 190) {
      automaton.add_call(from, {to, counter}, states[how % kStates]);
    } else if (how < 210) {
      automaton.add_jump(from, to);
    } else if (how < 230) {
      automaton.set_final(from);
    } else if (how < 238) {
      automaton.add_call(from, {to, keys}, states[how % kStates]);
    } else if (how < 246) {
      automaton.add_edge(states[kKeyState],
                         constrain::Edge{.first = range.first,
                                         .last = range.last,
                                         .key = static_cast<std::uint8_t>(how % 4U + 1),
                                         .target = to});
    } else if (how < 250) {
      automaton.add_edge(
          from, constrain::Edge{
                    .first = range.first, .last = range.last, .object = object, .target = to});
    } else if (how < 252) {
      automaton.add_call(from, {.rule = {to, counter},
                                .back = states[how % kStates],
                                .only_asks = how % 2 == 1,
                                .object = object});
    } else {
      constrain::ValueWriter writer(automaton, syntax);
      constrain::ObjectForm form;
      form.others =
          names_of(byte(2), syntax, {to, counter}, {states[byte(2) / 4 % kStates], counter});
      form.least = byte(2) / 64U;
      if (byte(2) % 5 == 0) {
        form.properties.push_back({"b7", {to, counter}});
        form.any_order = how < 254;
      }
      automaton.add_call(from, writer.object(form), states[byte(2) / 8 % kStates]);
    }
  }
  const constrain::StateId start = out.start = automaton.add_state();
  const constrain::StateId end = automaton.add_state();
  const constrain::StateId ended = automaton.add_state();
  automaton.add_call(start, {states[0], {1, 6}}, end);
  automaton.add_edge(end, constrain::kEnd, ended);
  automaton.add_edge(ended, constrain::kEnd, ended);
  automaton.set_final(ended);
  return out;
}

/// Of a mask: the sanitizers make each dear.
constexpr std::uint64_t kMostMaskSteps = 50'000;
/// By the slow matcher, for one input; what takes more is compared so far.
constexpr std::size_t kMostLookedAt = 100'000;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Tokens tokens;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t length = std::min(input.find('\xFF'), input.size());
  Written written = automaton_of(input.substr(0, length));
  if (!written.automaton.finish(written.start)) return 0;
  const auto grammar =
      std::make_shared<constrain::Grammar>(tokens.trie, std::move(written.automaton));
  grammar->limit_mask_steps(kMostMaskSteps);
  try {
    constrain::GrammarConstraint constraint(grammar);
    constrain::SlowMatcher slow(grammar->automaton());
    std::vector<std::uint64_t> allowed((tokens.vocabulary->size() + 63) / 64);
    for (const char choice : input.substr(length).substr(0, 6)) {
      constraint.allowed_next(allowed);
      std::vector<text::TokenId> all;
      for (std::size_t i = 0; i < tokens.pieces.size(); ++i) {
        if (slow.n_looked_at() > kMostLookedAt) return 0;
        const auto token = static_cast<text::TokenId>(i);
        const bool is_allowed = (allowed[i / 64] >> (i % 64) & 1) != 0;
        CHECK(is_allowed == slow.allows(tokens.trie->spelling(token)), "{} behind {} bytes",
              tokens.pieces[i], length);
        if (is_allowed) all.push_back(token);
      }
      // Behind the end the end may come again.
      CHECK(!all.empty() || written.may_get_stuck, "nothing may follow, behind {} bytes", length);
      if (all.empty()) return 0;
      const text::TokenId token = all[static_cast<std::uint8_t>(choice) % all.size()];
      constraint.accept(token);
      slow.accept(tokens.trie->spelling(token));
    }
  } catch (const sampling::ConstraintError&) {
    // More ways than are followed.
  }
  return 0;
}
