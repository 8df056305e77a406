#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "convert/mix.h"

namespace pleiad::fit {

/// A rate that somebody else measured and made public, one sequence at a time
/// unless `note` says otherwise.
struct PublishedRate {
  std::string_view member;  // FamilyMember::key
  std::string_view stored;  // in the source's words: "Q4_K_M", "int4"
  convert::FileType type;   // what comes closest among ours
  std::string_view engine;
  std::string_view hardware;
  std::optional<double> bandwidth_gb_s;  // the maker's peak; docs/fit.md says from where
  std::optional<double> prefill;         // tokens/s
  std::optional<double> decode;          // tokens/s
  std::string_view source;               // a page, or "project#number" of a thread on GitHub
  std::string_view note;
};

/// Collected in November 2026.
std::span<const PublishedRate> published_rates();

}  // namespace pleiad::fit
