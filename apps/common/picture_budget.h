#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace pleiad::apps {

/// How many soft tokens a picture may take at most, as somebody says it.
struct PictureBudget {
  std::optional<int> tokens;  // one of media::kBudgets
  bool automatic = false;     // the least that loses none of the picture's pixels
  // Neither: the model's own.

  /// What a picture is prepared with (media::PictureOptions); `usual`: the model's own.
  std::optional<int> of_model(int usual) const {
    if (automatic) return std::nullopt;
    return tokens ? *tokens : usual;
  }
  bool operator==(const PictureBudget&) const = default;
};

/// What can be said: "70|140|280|560|1120|auto".
std::string picture_budget_words();

/// Reads one of these; a Failure says what was expected and what was found.
Result<PictureBudget> read_picture_budget(std::string_view text);

/// The budget of a server's model, as its /api/show answers; 280 where it names none of
/// media::kBudgets.
int shown_picture_budget(const Json& shown);

/// "at most 280 tokens, the model's own", "as many tokens as its size needs, 1,120 at most".
std::string picture_budget_text(const PictureBudget& budget, int usual);

}  // namespace pleiad::apps
