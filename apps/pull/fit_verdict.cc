#include "apps/pull/fit_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "base/ascii.h"
#include "base/error.h"
#include "base/text_format.h"
#include "fit/model_work.h"
#include "fit/predict.h"

namespace pleiad::apps {
namespace {

constexpr std::int64_t kContext = 8192;                      // as `pleiad fit` has it
constexpr std::uint64_t kBeside = std::uint64_t{512} << 20;  // cache, workspace, program

std::optional<convert::FileType> type_of(std::string_view text) {
  try {
    return convert::parse_file_type(ascii_lower(text));
  } catch (const Error&) {  // a type that we do not write
    return std::nullopt;
  }
}

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// The member whose size stands in the name by itself: "e2b" of "hf:google/gemma-4-E2B-it".
const gemma4::FamilyMember* member_in(const std::string& name) {
  const std::string text = ascii_lower(name);
  if (text.find("gemma") == text.npos) return nullptr;
  for (const gemma4::FamilyMember& member : gemma4::family()) {
    const std::string_view size = member.key.substr(0, member.key.find('-'));  // "26b" of "26b-a4b"
    for (std::size_t at = text.find(size); at != text.npos; at = text.find(size, at + 1)) {
      const std::size_t end = at + size.size();
      const bool begins = at == 0 || !is_letter_or_digit(text[at - 1]);
      const bool ends = end == text.size() || !is_letter_or_digit(text[end]);
      if (begins && ends) return &member;
    }
  }
  return nullptr;
}

std::uint64_t memory_of(const gemma4::FamilyMember& member, convert::FileType type) {
  return fit::predict_memory(fit::ModelWork(member, type), kContext, KvType::bf16);
}

/// The largest of the family that is comfortable.
std::string largest_within(std::uint64_t memory) {
  const std::span<const pull::KnownModel> models = pull::known_models();
  const auto largest = std::find_if(models.rbegin(), models.rend(), [memory](const auto& model) {
    return !model.about.starts_with("the same") &&
           judge_memory(size_of(model).memory_bytes, memory).verdict == fit::Verdict::comfortable;
  });
  return largest == models.rend() ? std::string() : std::string(largest->name);
}

}  // namespace

fit::Judgement judge_memory(std::uint64_t needed, std::uint64_t memory) {
  return fit::judge(needed, memory, std::numeric_limits<double>::infinity());
}

FitVerdict judge_offer(const pull::Offer& offer, std::uint64_t memory_bytes) {
  FitVerdict verdict;
  verdict.memory_bytes = memory_bytes;
  const gemma4::FamilyMember* member = member_in(offer.name);
  std::optional<convert::FileType> type = type_of(offer.type);
  if (const pull::KnownModel* known = pull::find_known_model(offer.name)) {
    member = gemma4::find_member(known->member);
    if (!type) type = type_of(known->type);
  }
  verdict.by_shape = member != nullptr && type.has_value();
  verdict.needed_bytes = verdict.by_shape ? memory_of(*member, *type) : offer.bytes() + kBeside;
  verdict.judgement = judge_memory(verdict.needed_bytes, memory_bytes);
  if (verdict.judgement.verdict == fit::Verdict::does_not_fit) {
    verdict.instead = largest_within(memory_bytes);
  }
  return verdict;
}

std::string fit_text(const FitVerdict& verdict) {
  std::string text = fmt::format(
      "needs about {}{}, {} are free: {}", format_bytes(verdict.needed_bytes),
      verdict.by_shape ? fmt::format(" with a conversation of {} tokens", format_count(kContext))
                       : ", by the size of its files",
      format_bytes(verdict.memory_bytes), fit::name(verdict.judgement.verdict));
  if (!verdict.instead.empty()) text += fmt::format("; {} does", verdict.instead);
  return text;
}

KnownSize size_of(const pull::KnownModel& model) {
  const gemma4::FamilyMember* member = gemma4::find_member(model.member);
  const convert::FileType type = convert::parse_file_type(model.type);
  return {fit::ModelWork(*member, type).file_bytes(), memory_of(*member, type)};
}

}  // namespace pleiad::apps
