#pragma once

#include <fmt/format.h>

#include <array>
#include <string>

// Here because rooms that must not know each other have it in common: those that read pictures, and
// those that read models.

namespace pleiad {

/// Soft tokens that a picture may take at most: those that the models were trained with.
inline constexpr std::array kPictureBudgets = {70, 140, 280, 560, 1120};

/// What a picture takes at most where nobody says anything, the model neither.
inline constexpr int kUsualPictureBudget = 280;

/// "70, 140, 280, 560 or 1120", for what was expected.
inline std::string picture_budgets_text() {
  std::string text;
  for (const int budget : kPictureBudgets) {
    if (budget == kPictureBudgets.back()) {
      text += " or ";
    } else if (budget != kPictureBudgets.front()) {
      text += ", ";
    }
    text += fmt::format("{}", budget);
  }
  return text;
}

}  // namespace pleiad
