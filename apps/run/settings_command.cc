#include "apps/run/settings_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "apps/run/chat_file.h"
#include "apps/run/command_words.h"
#include "apps/run/parameters.h"
#include "apps/run/reply_format.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

/// A word that turns something on or off.
struct Switch {
  std::string_view word;
  bool ChatState::*target;
  bool value;
  std::string_view says;
};
constexpr Switch kSwitches[] = {
    {"think", &ChatState::think, true, "thinking is on"},
    {"nothink", &ChatState::think, false, "thinking is off"},
    {"show", &ChatState::show_thinking, true, "thoughts are shown"},
    {"hide", &ChatState::show_thinking, false, "thoughts are hidden"},
    {"verbose", &ChatState::verbose, true, "counts and rates are shown"},
    {"quiet", &ChatState::verbose, false, "counts and rates are not shown"},
    {"markdown", &ChatState::markdown, true,
     "replies are shown in styles, where there are colours"},
    {"nomarkdown", &ChatState::markdown, false, "replies are shown as the model writes them"},
    {"wordwrap", &ChatState::wrap, true, "lines are broken between words"},
    {"nowordwrap", &ChatState::wrap, false, "lines are broken by the terminal"},
};

constexpr std::string_view kOthers[] = {"system",    "tools",        "format",
                                        "parameter", "image-tokens", "pages-as"};

CommandOutcome set_tools(std::string_view file, ChatState& state, const ModelFacts& facts) {
  if (file.empty()) return failed("/set tools: expected a file, or 'none'");
  state.tools = file == "none" ? Json::array() : load_tools(typed_path(file, facts.home));
  return done(fmt::format("{} tool{}", state.tools.size(), state.tools.size() == 1 ? "" : "s"));
}

CommandOutcome set_picture_budget(std::string_view value, ChatState& state,
                                  const ModelFacts& facts) {
  PictureBudget budget;
  if (value != "default") {
    const Result<PictureBudget> read = read_picture_budget(value);
    if (!read) return failed(fmt::format("/set image-tokens: {}, or default", read.message()));
    budget = read.value();
  }
  state.wishes.picture_budget = budget;
  if (!facts.picture_budget) return done("set; the model that answers now sees no pictures");
  return done(
      fmt::format("a picture takes {}", picture_budget_text(budget, *facts.picture_budget)));
}

CommandOutcome set_pages_as(std::string_view value, ChatState& state) {
  const Result<PageWishes::PagesAs> as = read_pages_as(value);
  if (!as) return failed(fmt::format("/set pages-as: {}", as.message()));
  state.pages_as = as.value();
  constexpr std::array kHow = {"as text where they have some, else as pictures", "as text",
                               "as pictures"};
  return done(fmt::format("pages of a PDF that is attached from now on are shown {}",
                          kHow[static_cast<std::size_t>(as.value())]));
}

CommandOutcome set_context_length(std::string_view value) {
  std::int64_t length = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (error != std::errc() || end != value.data() + value.size()) {
    return failed(
        fmt::format("num_ctx: expected a whole number of tokens, found '{}'", printable(value)));
  }
  CommandOutcome outcome;
  outcome.context_length = length;
  return outcome;
}

}  // namespace

std::span<const std::string_view> setting_words() {
  static const auto words = [] {
    std::array<std::string_view, std::size(kSwitches) + std::size(kOthers)> all;
    const auto end = std::ranges::transform(kSwitches, all.begin(), &Switch::word).out;
    std::ranges::copy(kOthers, end);
    return all;
  }();
  return words;
}

CommandOutcome change_setting(std::string_view rest, ChatState& state, const ModelFacts& facts) {
  std::string_view what = take_word(rest);
  if (what == "markdown" && rest == "off") what = "nomarkdown";
  if (what == "wordwrap" && rest == "off") what = "nowordwrap";
  if (what == "think") {
    const Result<std::string> set = set_thinking(state, rest.empty() ? "true" : rest);
    return set ? done(set.value()) : failed("/set think: " + set.message());
  }
  const auto* found = std::ranges::find(kSwitches, what, &Switch::word);
  if (found != std::end(kSwitches)) {
    state.*(found->target) = found->value;
    return done(std::string(found->says));
  }
  if (what == "system") {
    state.system = std::string(rest);
    state.system_is_set = true;
    return done(rest.empty() ? "no system turn" : "system turn set");
  }
  if (what == "tools") return set_tools(rest, state, facts);
  if (what == "image-tokens") return set_picture_budget(rest, state, facts);
  if (what == "pages-as") return set_pages_as(rest, state);
  if (what == "format") {
    state.format = read_reply_format(rest, facts.home);
    return done(fmt::format("replies are {}", reply_format_text(state.format)));
  }
  if (what == "parameter") {
    const std::string_view name = take_word(rest);
    if (name == "num_ctx") return set_context_length(rest);
    const Result<std::string> result = set_parameter(state, name, rest, facts.vocab_size);
    return result ? done(result.value()) : failed(result.message());
  }
  return failed(fmt::format("/set: there is no '{}'; see /help", printable(what)));
}

}  // namespace pleiad::apps
