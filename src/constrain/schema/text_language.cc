#include "constrain/schema/text_language.h"

#include <algorithm>
#include <charconv>

#include "constrain/schema/counted_text.h"
#include "constrain/texts/characters.h"
#include "constrain/texts/pattern_tree.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMaxTextStates = 20'000;
constexpr std::size_t kManyTextStates = 200;
constexpr std::size_t kMany = 1U << 20;

/// Whether each place between characters may be the last one and has a way on: then no length
/// leads to where nothing may follow.
bool can_be_counted(const Dfa& dfa) {
  std::vector<bool> between(dfa.states.size(), false);
  for (const Dfa::State& state : dfa.states) {
    for (const Dfa::Edge& edge : state.edges) {
      // What counts begins a character: it is read between characters. Where nothing does, there
      // is no way on: not even from the first place, where the empty text is all that there is.
      if (edge.counts) between[static_cast<std::size_t>(&state - dfa.states.data())] = true;
    }
  }
  for (std::size_t i = 0; i < dfa.states.size(); ++i) {
    const Dfa::State& state = dfa.states[i];
    if (between[i] ? !state.accepts : state.accepts) return false;
  }
  return true;
}

std::optional<Dfa> with_length(SchemaContext& context, const Dfa& dfa, Counter length) {
  struct Place {
    std::uint32_t state = 0;
    std::uint32_t need = 0, room = 0;

    auto operator<=>(const Place&) const = default;
  };
  const auto next = [&](const Place& at, const auto& add) {
    for (const Dfa::Edge& edge : dfa.states[at.state].edges) {
      Counter left{at.need, at.room};
      if (edge.counts && !left.count()) continue;
      add(edge.first, edge.last, Place{edge.target, left.need, left.room});
    }
  };
  const auto accepts = [&](const Place& at) {
    return at.need == 0 && dfa.states[at.state].accepts;
  };
  const std::size_t max_states = std::min(kMaxTextStates, context.budget_left() + 1);
  std::optional<Dfa> made = explore(Place{0, length.need, length.room}, next, accepts, max_states);
  context.spend_on(made, max_states);
  return context.failed() ? std::nullopt : std::move(made);
}

std::optional<Dfa> unsized_text_dfa(SchemaContext& context, const TextLanguage& language) {
  std::vector<DfaCondition> conditions = language.conditions;
  if (language.denied) conditions.push_back({language.denied, false});
  return context.restricted(any_plain_text(context.syntax()), conditions, kMaxTextStates);
}

/// Whether all characters of a text are of one class, whatever conditions stand before them:
/// '^(?=.*[0-9])[a-z0-9]*$'. Then its length is the number of times that the class is repeated.
bool is_one_class(const PatternNode& pattern) {
  using Kind = PatternNode::Kind;
  const std::vector<PatternNode>& parts = pattern.children;
  if (pattern.kind != Kind::sequence || parts.size() < 3) return false;
  const PatternNode& repeated = parts[parts.size() - 2];
  return std::ranges::all_of(parts.begin(), parts.end() - 2, &PatternNode::is_condition) &&
         repeated.kind == Kind::repeat && repeated.children[0].kind == Kind::characters &&
         parts.back().kind == Kind::end;
}

bool read_number(std::string_view& text, std::uint32_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::vector<TextLanguage> TextLanguage::parts() const {
  if (!denied || length == Counter{}) return {*this};
  std::vector<TextLanguage> out;
  if (length.need <= longest_denied) {
    out.push_back(*this);
    out.back().length.room = std::min(length.room, longest_denied);
  }
  if (length.room > longest_denied) {
    out.push_back({.conditions = conditions,
                   .length = {std::max(length.need, longest_denied + 1), length.room}});
  }
  return out;
}

std::optional<std::pair<Dfa, Counter>> text_dfa(SchemaContext& context,
                                                const TextLanguage& language) {
  std::optional<Dfa> dfa = unsized_text_dfa(context, language);
  if (!dfa) return std::nullopt;
  if (language.length == Counter{}) return std::pair(std::move(*dfa), Counter{});
  if (can_be_counted(*dfa)) return std::pair(std::move(*dfa), language.length);
  // Few states are better than two ways on, and those better than none.
  const std::size_t n_written =
      dfa->states.size() *
      std::min<std::size_t>(
          language.length.room == kUnbounded ? language.length.need : language.length.room, kMany);
  if (n_written > kManyTextStates) {
    Counter length = language.length;
    auto counted = counted_text(context, *dfa, length, kMaxTextStates);
    if (counted) return std::pair(std::move(*counted), length);
    if (context.failed()) return std::nullopt;
  }
  dfa = with_length(context, *dfa, language.length);
  if (!dfa) return std::nullopt;
  return std::pair(std::move(*dfa), Counter{});
}

std::optional<Dfa> sized_text_dfa(SchemaContext& context, const TextLanguage& language) {
  const std::optional<Dfa> dfa = unsized_text_dfa(context, language);
  return dfa ? with_length(context, *dfa, language.length) : std::nullopt;
}

std::optional<CountedPattern> counted_pattern(std::string_view pattern) {
  if (!pattern.starts_with("^") || !pattern.ends_with("}$")) return std::nullopt;
  const std::size_t brace = pattern.rfind('{');
  if (brace == std::string_view::npos) return std::nullopt;
  std::string_view numbers = pattern.substr(brace + 1);
  CountedPattern out{std::string(pattern.substr(0, brace)) + "*$", {}};
  std::uint32_t least = 0;
  std::uint32_t most = kUnbounded;
  if (!read_number(numbers, least)) return std::nullopt;
  if (numbers.starts_with(",")) {
    numbers.remove_prefix(1);
    if (!numbers.starts_with("}") && !read_number(numbers, most)) return std::nullopt;
  } else {
    most = least;
  }
  if (numbers != "}$" || most < least) return std::nullopt;
  const Result<PatternNode> tree = read_pattern(out.pattern);
  if (!tree || !is_one_class(tree.value())) return std::nullopt;
  out.length = {std::min(least, Counter::kMost),
                most == kUnbounded ? most : std::min(most, Counter::kMost)};
  return out;
}

}  // namespace pleiad::constrain
