#include "apps/pull/offer_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text_format.h"
#include "pull/transfer_json.h"

namespace pleiad::apps {
namespace {

constexpr std::size_t kMaxOfferText = 400;
constexpr std::size_t kMostNamedFiles = 6;  // that are named

std::string titled_line(std::string_view title, const std::string& text) {
  return text.empty() ? std::string()
                      : fmt::format("  {:<9} {}\n", title, printable(text, kMaxOfferText));
}

std::string size_text(const pull::Offer& offer) {
  std::string text = format_bytes(offer.bytes());
  if (offer.files.size() > 1) {
    std::vector<std::string> files;
    for (const pull::OfferedFile& file : offer.files) {
      if (files.size() == kMostNamedFiles) {
        files.push_back(fmt::format("{} more", offer.files.size() - kMostNamedFiles));
        break;
      }
      files.push_back(fmt::format("{} {}", printable(file.what), format_bytes(file.bytes)));
    }
    text += fmt::format(": {}", fmt::join(files, ", "));
  }
  if (offer.at_hand() == 0) return text;
  if (offer.at_hand() == offer.bytes()) return text + "; all of it is here already";
  return text + fmt::format("; {} of it are here already", format_bytes(offer.at_hand()));
}

}  // namespace

std::string offer_text(const pull::Offer& offer, const FitVerdict& verdict) {
  std::string text =
      fmt::format("{} from {}\n", printable(offer.name, kMaxOfferText), printable(offer.host));
  text += titled_line("chosen", offer.chosen);
  text += titled_line("type", offer.type);
  text += titled_line("size", size_text(offer));
  text += titled_line("license", offer.license.empty() ? "not said" : offer.license);
  text += titled_line("goes to", offer.destination.string());
  text += titled_line("memory", fit_text(verdict));
  for (const std::string& left_out : offer.left_out) text += titled_line("left out", left_out);
  return text;
}

std::string left_out_text(const pull::TransferResult& result, const pull::Offer& offer) {
  std::string text;
  for (const std::string& left_out : result.left_out) {
    if (std::ranges::find(offer.left_out, left_out) != offer.left_out.end()) continue;
    text += titled_line("left out", left_out);
  }
  return text;
}

Json offer_json(const pull::Offer& offer, const FitVerdict& verdict) {
  Json json = pull::offer_json(offer);
  json["destination"] = offer.destination.string();
  json["memory"] = {{"needed", verdict.needed_bytes},
                    {"free", verdict.memory_bytes},
                    {"verdict", std::string(fit::name(verdict.judgement.verdict))},
                    {"instead", verdict.instead}};
  return json;
}

}  // namespace pleiad::apps
