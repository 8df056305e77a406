#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/kv_view.h"
#include "convert/mix.h"
#include "fit/machine.h"
#include "fit/predict.h"
#include "fit/verdict.h"
#include "model/gemma4/family.h"

namespace pleiad::fit {

struct Question {
  std::vector<const gemma4::FamilyMember*> members;  // smallest first
  std::vector<convert::FileType> types;
  std::int64_t context = 8192;  // tokens of the conversation
  KvType kv_type = KvType::bf16;
};

/// Every type that files are written as.
std::vector<convert::FileType> all_file_types();

/// The tokens of the prompt that rates of prompts are predicted for: as many as
/// `pleiad bench` has, or all of a shorter context.
std::int64_t prompt_tokens(const Question& question);

/// One member as one type on one machine.
struct Answer {
  // Of the text model; what its towers add stands in VisionAnswer and AudioAnswer.
  const gemma4::FamilyMember* member = nullptr;
  convert::FileType type = convert::FileType::q4_0;
  std::uint64_t file_bytes = 0;
  std::uint64_t memory_bytes = 0;  // at the context asked for
  double bytes_per_token = 0;      // weights
  std::optional<Rate> prefill;
  Rate decode;             // of the first tokens
  Rate decode_at_context;  // of the last that fits in the context
  Judgement judgement;
};

/// The pictures that one member sees on one machine.
struct VisionAnswer {
  const gemma4::FamilyMember* member = nullptr;
  std::int64_t n_parameters = 0;
  std::uint64_t file_bytes = 0;    // in its projector file, beside a GGUF file
  std::uint64_t memory_bytes = 0;  // more than Answer::memory_bytes, once a picture came
  int budget = 0;                  // soft tokens of a picture where nobody says how many
  double operations = 0;           // of such a picture, at most
  std::optional<Rate> seconds;     // that it takes
};

/// The sounds that one member hears on one machine.
struct AudioAnswer {
  const gemma4::FamilyMember* member = nullptr;
  std::int64_t n_parameters = 0;
  std::uint64_t file_bytes = 0;    // in its projector file, beside a GGUF file
  std::uint64_t memory_bytes = 0;  // more than Answer::memory_bytes, once a sound came
  std::int64_t tokens = 0;         // of the longest clip, 30 s
  double operations = 0;           // of that
  std::optional<Rate> seconds;     // that it takes
};

/// Of each member that hears, in the order of the question.
std::vector<AudioAnswer> answer_audio(const Question& question, const Machine& machine);

/// Of each member, in the order of the question.
std::vector<VisionAnswer> answer_vision(const Question& question, const Machine& machine);

/// By member and type, in the order of the question. Throws Error where a member
/// is not made for so long a context.
std::vector<Answer> answer(const Question& question, const Machine& machine);

/// Tokens a second at which answers come as fast as people follow them.
inline constexpr double kFluentRate = 10;

/// The one to take, by its place; nothing where none fits. In this order:
///   1. of what is comfortable and decodes at least kFluentRate: the largest
///      member, in the first of q8_0, q6_k, fp8_dynamic, fp8, q5_k, q4_k_m, q4_k_s, q4_0,
///      nvfp4a16, nvfp4: the most precise, but 16 bits only where nothing smaller is asked
///      about (they cost twice as much as q8_0, which loses next to nothing)
///   2. of what is comfortable: the fastest
///   3. of what is tight: the fastest
std::optional<std::size_t> recommend(const std::vector<Answer>& answers);

}  // namespace pleiad::fit
