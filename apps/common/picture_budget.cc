#include "apps/common/picture_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_format.h"
#include "media/budget.h"

namespace pleiad::apps {

std::string picture_budget_words() {
  return fmt::format("{}|auto", fmt::join(media::kBudgets, "|"));
}

Result<PictureBudget> read_picture_budget(std::string_view text) {
  if (text == "auto") return PictureBudget{.tokens = std::nullopt, .automatic = true};
  const auto* found = std::ranges::find_if(
      media::kBudgets, [&](int budget) { return text == std::to_string(budget); });
  if (found != media::kBudgets.end()) return PictureBudget{.tokens = *found};
  return Failure{fmt::format("expected {}, found '{}'", picture_budget_words(), printable(text))};
}

int shown_picture_budget(const Json& shown) {
  if (!shown.is_object()) return kUsualPictureBudget;
  const auto vision = shown.find("vision");
  if (vision == shown.end() || !vision->is_object()) return kUsualPictureBudget;
  const auto budget = vision->find("max_soft_tokens");
  if (budget == vision->end()) return kUsualPictureBudget;
  const auto* found =
      std::ranges::find_if(media::kBudgets, [&](int known) { return *budget == Json(known); });
  return found != media::kBudgets.end() ? *found : kUsualPictureBudget;
}

std::string picture_budget_text(const PictureBudget& budget, int usual) {
  if (budget.automatic) {
    return fmt::format("as many tokens as its size needs, {} at most",
                       format_count(static_cast<std::uint64_t>(media::kBudgets.back())));
  }
  return fmt::format("at most {} tokens{}",
                     format_count(static_cast<std::uint64_t>(budget.tokens.value_or(usual))),
                     budget.tokens ? "" : ", the model's own");
}

}  // namespace pleiad::apps
