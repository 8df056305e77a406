#include "apps/fit/fit_report.h"

#include <algorithm>
#include <optional>

#include "apps/common/limit_options.h"
#include "apps/common/usage_error.h"
#include "backend/cpu/machine_limits.h"
#include "backend/cpu/processors.h"
#include "base/ascii.h"
#include "base/available_memory.h"
#include "base/error.h"
#include "base/os/processors.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

const gemma4::FamilyMember* member_of(const std::string& text) {
  std::string key = ascii_lower(text);
  if (key == "26b") key = "26b-a4b";
  const gemma4::FamilyMember* member = gemma4::find_member(key);
  if (member == nullptr) {
    throw Error("--model: expected e2b, e4b, 12b, 26b-a4b or 31b, found '{}'", printable(text));
  }
  return member;
}

fit::Question read_question(const FitAsk& ask) {
  fit::Question question;
  question.context = ask.context;
  question.kv_type = ask.kv_type;
  for (const gemma4::FamilyMember& member : gemma4::family()) {
    const bool asked = ask.models.empty() || std::ranges::any_of(ask.models, [&](const auto& m) {
                         return member_of(m) == &member;
                       });
    if (asked) question.members.push_back(&member);
  }
  for (const std::string& text : ask.types) {
    question.types.push_back(convert::parse_file_type(text));
  }
  if (question.types.empty()) question.types = fit::all_file_types();
  return question;
}

fit::KernelSet kernels_of(cpu::Isa isa) {
  switch (isa) {
    case cpu::Isa::amx:
      return fit::KernelSet::amx;
    case cpu::Isa::avx512:
      return fit::KernelSet::avx512;
    case cpu::Isa::avx2:
    case cpu::Isa::avxvnni:
      return fit::KernelSet::avx2;
    case cpu::Isa::neon:
    case cpu::Isa::i8mm:
      return fit::KernelSet::neon;
    case cpu::Isa::scalar:
      return fit::KernelSet::scalar;
  }
  return fit::KernelSet::unknown;
}

/// Takes a few seconds: twice, because others may use the machine meanwhile.
void measure_this_machine(FitReport& report, const FitAsk& ask, const Environment& environment) {
  const cpu::Isa isa = cpu::pick_isa(environment.isa);
  report.threads = ask.threads > 0 ? ask.threads : cpu::usable_cores();
  report.machine.memory_bytes = available_memory();
  cpu::ThreadPool pool(report.threads);
  const cpu::LimitOptions options = limit_options(environment);
  const cpu::MachineLimits limits = cpu::best_of(cpu::measure_machine_limits(pool, isa, options),
                                                 cpu::measure_machine_limits(pool, isa, options));
  report.machine.name = os::processor_name();
  report.machine.read_bytes_per_second = limits.read_bytes_per_second;
  report.machine.operations_per_second = limits.float_operations_per_second;
  report.machine.kernels = kernels_of(isa);
  report.instructions = limits.float_instructions;
}

void describe_machine(FitReport& report, const FitAsk& ask) {
  constexpr double kGib = 1024.0 * 1024 * 1024;
  std::optional<double> operations;
  if (ask.compute > 0) operations = ask.compute * 1e12;
  report.machine = fit::described_machine(
      ask.bandwidth * 1e9, static_cast<std::uint64_t>(ask.memory * kGib), operations);
}

}  // namespace

fit::Question question_of(const FitAsk& ask) {
  return as_usage([&] { return read_question(ask); });
}

FitReport report_of_machine(const FitAsk& ask, const Environment& environment) {
  FitReport report;
  report.question = question_of(ask);
  if (ask.bandwidth > 0) {
    describe_machine(report, ask);
  } else {
    measure_this_machine(report, ask, environment);
  }
  return report;
}

FitReport fit_report(const FitAsk& ask, const Environment& environment) {
  FitReport report = report_of_machine(ask, environment);
  report.answers = fit::answer(report.question, report.machine);
  report.vision = fit::answer_vision(report.question, report.machine);
  report.audio = fit::answer_audio(report.question, report.machine);
  report.recommended = fit::recommend(report.answers);
  return report;
}

}  // namespace pleiad::apps
