#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

namespace pleiad::apps {

/// For flags with a fraction: a number from `least` to `most`. CLI::Range lets NaN pass, which is
/// neither below nor above, and CLI::NonNegativeNumber infinity too.
inline CLI::Validator number_between(double least, double most) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        double value = 0;
        const bool is_number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        if (is_number && value >= least && value <= most) return "";
        return fmt::format("expected a number from {:g} to {:g}, found '{}'", least, most, text);
      },
      "");
}

/// The same without an upper limit.
inline CLI::Validator number_from(double least) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        double value = 0;
        const bool is_number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        if (is_number && value >= least) return "";
        return fmt::format("expected a number of at least {:g}, found '{}'", least, text);
      },
      "");
}

}  // namespace pleiad::apps
