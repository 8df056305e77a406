#include "apps/models/show.h"

#include <fmt/format.h>

#include "base/picture_budgets.h"
#include "base/text_format.h"
#include "store/details.h"

namespace pleiad::apps {
namespace {

constexpr std::size_t kMaxValue = 400;

std::string show_line(std::string_view what, const std::string& value) {
  return fmt::format("    {:<18} {}\n", what, value);
}

/// The first lines of a text, each moved to the right.
std::string first_lines(std::string_view text, int most) {
  std::string result;
  for (int i = 0; i < most && !text.empty(); ++i) {
    const std::size_t end = text.find('\n');
    result += fmt::format("    {}\n", printable(text.substr(0, end), kMaxValue));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  if (!text.empty()) result += "    ...\n";
  return result;
}

std::string vision_lines(const store::VisionDetails& vision) {
  return show_line("vision",
                   fmt::format("{} ({})", store::parameter_size_text(vision.parameter_count),
                               printable(vision.type))) +
         show_line("picture tokens",
                   fmt::format("{} unless asked otherwise ({} to {})", vision.default_budget,
                               kPictureBudgets.front(), kPictureBudgets.back()));
}

std::string audio_line(const store::AudioDetails& audio) {
  return show_line("audio",
                   fmt::format("{} ({})", store::parameter_size_text(audio.parameter_count),
                               printable(audio.type)));
}

}  // namespace

std::string parameters_text(const store::Recipe& recipe) {
  std::string text;
  for (const auto& [name, value] : recipe.parameters) {
    text += fmt::format("{:<18} {}\n", name, to_text(value));
  }
  return text;
}

std::string licenses_text(const store::Recipe& recipe) {
  std::string text;
  for (const std::string& license : recipe.licenses) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", license);
  }
  return text;
}

std::string show_text(const store::ModelEntry& entry) {
  std::string text = "  Model\n" + show_line("name", printable(entry.name, kMaxValue));
  if (entry.details) {
    text += show_line("architecture", printable(entry.details->family));
    text += show_line("parameters", printable(entry.details->parameter_size));
    text += show_line("context length", fmt::format("{}", entry.details->context_length));
    text += show_line("embedding length", fmt::format("{}", entry.details->embedding_length));
    text += show_line("quantization", printable(entry.details->quantization_level));
    text += show_line("format", printable(entry.details->format));
  }
  if (entry.details && entry.details->vision) text += vision_lines(*entry.details->vision);
  if (entry.details && entry.details->audio) text += audio_line(*entry.details->audio);
  text += show_line("size", format_bytes(entry.size_bytes));
  text += show_line("source", std::string(store::name(entry.source)));
  text += show_line("file", printable(entry.path.string(), kMaxValue));
  for (const std::filesystem::path& projector : entry.projectors()) {
    text += show_line("projector", printable(projector.string(), kMaxValue));
  }
  if (!entry.parent.empty()) text += show_line("made from", printable(entry.parent, kMaxValue));
  if (!entry.problem.empty()) text += "\n  Cannot be used\n" + first_lines(entry.problem, 20);
  const store::Recipe& recipe = entry.recipe;
  if (!recipe.parameters.empty()) {
    text += "\n  Parameters\n" + first_lines(parameters_text(recipe), 100);
  }
  if (!recipe.system.empty()) text += "\n  System\n" + first_lines(recipe.system, 10);
  if (!recipe.messages.empty()) {
    text += "\n  Messages\n" + first_lines(fmt::format("{}", recipe.messages.size()), 1);
  }
  if (!recipe.licenses.empty()) text += "\n  License\n" + first_lines(recipe.licenses[0], 3);
  if (!entry.warnings.empty()) text += "\n  Not used\n";
  for (const std::string& warning : entry.warnings) text += first_lines(warning, 1);
  return text;
}

}  // namespace pleiad::apps
