#include "apps/run/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "base/text_format.h"
#include "serving/answers/reply_limits.h"

namespace pleiad::apps {
namespace {

template <typename Number>
bool parse_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string stop_text(const ChatState& state) {
  std::vector<std::string> stops;
  for (const std::string& stop : state.stop) stops.push_back(printable(stop));
  return fmt::format("{}", fmt::join(stops, ", "));
}

Failure expected(std::string_view name, std::string_view what, std::string_view found) {
  return {fmt::format("{}: expected {}, found '{}'", name, what, printable(found))};
}

}  // namespace

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all = {
      {"temperature", "0 takes the likeliest token; higher is more varied"},
      {"top_k", "choose among so many likeliest tokens (0: all)"},
      {"typical_p", "choose among tokens that surprise as much as is usual here (1: off)"},
      {"top_p", "choose among the likeliest tokens that together have this probability"},
      {"min_p", "leave out tokens below this share of the likeliest one's probability"},
      {"repeat_penalty", "above 1 makes recent tokens less likely (1: off)"},
      {"repeat_last_n", "how many tokens back repeat_penalty looks (-1: all)"},
      {"presence_penalty", "lowers tokens that the reply already has (0: off)"},
      {"frequency_penalty", "lowers tokens by how often the reply has them (0: off)"},
      {"seed", "the same seed gives the same reply ('none': a new one every time)"},
      {"num_predict", "longest reply in tokens (-1: no limit)"},
      {"thinking_budget", "longest thought in tokens, after which it answers (-1: no limit)"},
      {"repetition_guard", "ends what repeats itself: on or off"},
      {"stop", "text that ends a reply; may be set several times ('none': none)"},
  };
  return all;
}

namespace {

Result<std::string> set_value(ChatState& state, std::string_view name, std::string_view value,
                              std::size_t vocab_size) {
  sampling::SamplingOptions sampling = state.generation.sampling;
  const auto real = [&](double& target) -> bool { return parse_number(value, target); };
  const auto whole = [&](auto& target) -> bool { return parse_number(value, target); };
  bool parsed = true;
  bool is_real = false;
  if (name == "temperature") {
    parsed = real(sampling.temperature);
    is_real = true;
  } else if (name == "top_k") {
    parsed = whole(sampling.top_k);
  } else if (name == "typical_p") {
    parsed = real(sampling.typical_p);
    is_real = true;
  } else if (name == "top_p") {
    parsed = real(sampling.top_p);
    is_real = true;
  } else if (name == "min_p") {
    parsed = real(sampling.min_p);
    is_real = true;
  } else if (name == "repeat_penalty") {
    parsed = real(sampling.repeat_penalty);
    is_real = true;
  } else if (name == "repeat_last_n") {
    parsed = whole(sampling.repeat_last_n);
  } else if (name == "presence_penalty") {
    parsed = real(sampling.presence_penalty);
    is_real = true;
  } else if (name == "frequency_penalty") {
    parsed = real(sampling.frequency_penalty);
    is_real = true;
  } else if (name == "seed") {
    std::uint64_t seed = 0;
    if (value == "none") {
      sampling.seed.reset();
    } else if (parse_number(value, seed)) {
      sampling.seed = seed;
    } else {
      return expected(name, "a whole number or 'none'", value);
    }
  } else if (name == "num_predict") {
    std::int64_t most = 0;
    if (!parse_number(value, most) || most < -1) {
      return expected(name, "a whole number, or -1 for no limit", value);
    }
    state.generation.max_tokens = most;
    return fmt::format("num_predict = {}", most);
  } else if (name == "thinking_budget") {
    std::int64_t most = 0;
    if (!parse_number(value, most) || most < -1 || most == 0) {
      return expected(name, "a whole number from 1, or -1 for no limit", value);
    }
    state.limits.thinking_budget = most > 0 ? std::optional(most) : std::nullopt;
    state.limits.thinking_level.clear();
    return fmt::format("thinking_budget = {}", most);
  } else if (name == "repetition_guard") {
    if (value != "on" && value != "off") return expected(name, "on or off", value);
    state.limits.repetition_guard = value == "on";
    return fmt::format("repetition_guard = {}", value);
  } else if (name == "stop") {
    if (value == "none") {
      state.stop.clear();
      return std::string("stop = none");
    }
    if (value.empty()) return expected(name, "a text", value);
    state.stop.emplace_back(value);
    return fmt::format("stop = {}", stop_text(state));
  } else {
    std::string names;
    for (const Parameter& parameter : parameters()) names += fmt::format(" {}", parameter.name);
    return Failure{fmt::format("there is no parameter '{}'; there are:{}", printable(name), names)};
  }
  if (!parsed) return expected(name, is_real ? "a number" : "a whole number", value);
  auto checked = sampling::check_options(std::move(sampling), vocab_size);
  if (!checked) return Failure{checked.message()};
  state.generation.sampling = std::move(checked).value();
  return fmt::format("{} = {}", name, value);
}

}  // namespace

Result<std::string> set_parameter(ChatState& state, std::string_view name, std::string_view value,
                                  std::size_t vocab_size) {
  Result<std::string> set = set_value(state, name, value, vocab_size);
  if (set) state.chosen.emplace(name);
  return set;
}

Result<std::string> set_thinking(ChatState& state, std::string_view value) {
  if (value == "true" || value == "false") {
    state.think = value == "true";
    // A level went with the thinking that it was chosen for.
    if (!state.limits.thinking_level.empty()) {
      state.limits.thinking_budget.reset();
      state.limits.thinking_level.clear();
      state.chosen.erase("thinking_budget");
    }
    return std::string(state.think ? "thinking is on" : "thinking is off");
  }
  const auto budget = serving::budget_of_level(value);
  if (!budget) {
    return Failure{
        fmt::format("expected true, false, high, medium or low, found '{}'", printable(value))};
  }
  state.think = true;
  state.limits.thinking_budget = budget;
  state.limits.thinking_level = value;
  state.chosen.emplace("thinking_budget");
  return fmt::format("thinking is on, of at most {} tokens",
                     format_count(static_cast<std::uint64_t>(*budget)));
}

Result<bool> check_context_length(std::int64_t length, std::int64_t supported) {
  if (length < 1)
    return expected("num_ctx", "a number of tokens above 0", fmt::format("{}", length));
  if (supported > 0 && length > supported) {
    return expected("num_ctx",
                    fmt::format("at most {} tokens, which the model supports",
                                format_count(static_cast<std::uint64_t>(supported))),
                    fmt::format("{}", length));
  }
  return true;
}

std::string context_length_text(std::int64_t length) { return fmt::format("num_ctx = {}", length); }

void keep_chosen(const ChatState& from, ChatState& to) {
  const sampling::SamplingOptions& old = from.generation.sampling;
  sampling::SamplingOptions& sampling = to.generation.sampling;
  const auto keep = [&](const char* name, const auto& value, auto& target) {
    if (from.chosen.contains(name)) target = value;
  };
  keep("temperature", old.temperature, sampling.temperature);
  keep("top_k", old.top_k, sampling.top_k);
  keep("typical_p", old.typical_p, sampling.typical_p);
  keep("top_p", old.top_p, sampling.top_p);
  keep("min_p", old.min_p, sampling.min_p);
  keep("repeat_penalty", old.repeat_penalty, sampling.repeat_penalty);
  keep("repeat_last_n", old.repeat_last_n, sampling.repeat_last_n);
  keep("presence_penalty", old.presence_penalty, sampling.presence_penalty);
  keep("frequency_penalty", old.frequency_penalty, sampling.frequency_penalty);
  keep("seed", old.seed, sampling.seed);
  keep("num_predict", from.generation.max_tokens, to.generation.max_tokens);
  keep("thinking_budget", from.limits.thinking_budget, to.limits.thinking_budget);
  keep("thinking_budget", from.limits.thinking_level, to.limits.thinking_level);
  keep("repetition_guard", from.limits.repetition_guard, to.limits.repetition_guard);
  keep("stop", from.stop, to.stop);
  to.chosen = from.chosen;
}

std::string parameter_values(const ChatState& state) {
  const sampling::SamplingOptions& s = state.generation.sampling;
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<18} {}\n", name, value);
  };
  line("temperature", fmt::format("{}", s.temperature));
  line("top_k", fmt::format("{}", s.top_k));
  line("typical_p", fmt::format("{}", s.typical_p));
  line("top_p", fmt::format("{}", s.top_p));
  line("min_p", fmt::format("{}", s.min_p));
  line("repeat_penalty", fmt::format("{}", s.repeat_penalty));
  line("repeat_last_n", fmt::format("{}", s.repeat_last_n));
  line("presence_penalty", fmt::format("{}", s.presence_penalty));
  line("frequency_penalty", fmt::format("{}", s.frequency_penalty));
  line("seed", s.seed ? fmt::format("{}", *s.seed) : "none");
  line("num_predict", fmt::format("{}", state.generation.max_tokens));
  line("thinking_budget", fmt::format("{}", state.limits.thinking_budget.value_or(-1)));
  line("repetition_guard", state.limits.repetition_guard ? "on" : "off");
  line("stop", state.stop.empty() ? "none" : stop_text(state));
  return text;
}

}  // namespace pleiad::apps
