#include "fit/advice.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text_format.h"
#include "fit/audio_work.h"
#include "fit/vision_work.h"

namespace pleiad::fit {
namespace {

using convert::FileType;

/// What is preferred where it is fast enough: by the error of rounding (docs/rounding.md;
/// FP8 lies between Q6_K and Q5_K), of equal ones the faster. What has 16 bits comes last.
constexpr std::array kByPrecision = {
    FileType::q8_0,     FileType::q6_k,   FileType::fp8_dynamic, FileType::fp8,
    FileType::q5_k,     FileType::q4_k_m, FileType::q4_k_s,      FileType::q4_0,
    FileType::nvfp4a16, FileType::nvfp4,  FileType::bf16,        FileType::f16,
};

std::ptrdiff_t preference(FileType type) {
  return std::ranges::find(kByPrecision, type) - kByPrecision.begin();
}

/// The first where `better` says so, of those that `allowed` lets through.
template <typename Allowed, typename Better>
std::optional<std::size_t> best(const std::vector<Answer>& answers, const Allowed& allowed,
                                const Better& better) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!allowed(answers[i])) continue;
    if (!found || better(answers[i], answers[*found])) found = i;
  }
  return found;
}

}  // namespace

std::vector<FileType> all_file_types() {
  return {FileType::bf16,  FileType::f16,      FileType::q8_0,   FileType::q6_k,
          FileType::q5_k,  FileType::q4_k_m,   FileType::q4_k_s, FileType::q4_0,
          FileType::nvfp4, FileType::nvfp4a16, FileType::fp8,    FileType::fp8_dynamic};
}

std::int64_t prompt_tokens(const Question& question) {
  return std::min<std::int64_t>(512, question.context);
}

std::vector<Answer> answer(const Question& question, const Machine& machine) {
  std::vector<Answer> answers;
  for (const gemma4::FamilyMember* member : question.members) {
    if (question.context > member->context_length) {
      throw Error("--ctx: {} is made for at most {} tokens, not {}", member->name,
                  format_count(static_cast<std::uint64_t>(member->context_length)),
                  format_count(static_cast<std::uint64_t>(question.context)));
    }
    for (const FileType type : question.types) {
      const ModelWork work(*member, type);
      Answer row;
      row.member = member;
      row.type = type;
      row.file_bytes = work.file_bytes();
      row.memory_bytes = predict_memory(work, question.context, question.kv_type);
      row.bytes_per_token = work.bytes_per_token();
      row.prefill = predict_prefill(work, machine, prompt_tokens(question));
      row.decode = predict_decode(work, machine, 0, question.kv_type);
      row.decode_at_context = predict_decode(work, machine, question.context - 1, question.kv_type);
      row.judgement = judge(row.memory_bytes, machine.memory_bytes, row.decode.value);
      answers.push_back(std::move(row));
    }
  }
  return answers;
}

std::vector<VisionAnswer> answer_vision(const Question& question, const Machine& machine) {
  std::vector<VisionAnswer> answers;
  for (const gemma4::FamilyMember* member : question.members) {
    const VisionWork work(*member);
    const std::int64_t patches = work.n_patches(work.default_budget());
    answers.push_back({member, work.n_parameters(), work.file_bytes(), work.resident_bytes(),
                       work.default_budget(),
                       work.matrix_operations(patches) + work.attention_operations(patches),
                       predict_picture_seconds(work, machine, patches)});
  }
  return answers;
}

std::vector<AudioAnswer> answer_audio(const Question& question, const Machine& machine) {
  std::vector<AudioAnswer> answers;
  for (const gemma4::FamilyMember* member : question.members) {
    const auto work = AudioWork::of(*member);
    if (!work) continue;
    const std::int64_t tokens = work->most_tokens();
    answers.push_back({member, work->n_parameters(), work->file_bytes(), work->resident_bytes(),
                       tokens, work->matrix_operations(tokens) + work->attention_operations(tokens),
                       predict_sound_seconds(*work, machine, tokens)});
  }
  return answers;
}

std::optional<std::size_t> recommend(const std::vector<Answer>& answers) {
  const auto comfortable = [](const Answer& a) {
    return a.judgement.verdict == Verdict::comfortable;
  };
  const auto fluent = best(
      answers, [&](const Answer& a) { return comfortable(a) && a.decode.value >= kFluentRate; },
      [](const Answer& a, const Answer& b) {
        // Members follow each other by size in the family's table.
        return a.member != b.member ? a.member > b.member : preference(a.type) < preference(b.type);
      });
  if (fluent) return fluent;
  const auto faster = [](const Answer& a, const Answer& b) {
    return a.decode.value > b.decode.value;
  };
  const auto easy = best(answers, comfortable, faster);
  if (easy) return easy;
  return best(
      answers, [](const Answer& a) { return a.judgement.verdict == Verdict::tight; }, faster);
}

}  // namespace pleiad::fit
