#include "fit/encoder_work.h"

#include "fit/shares.h"
#include "model/gemma4/projector_file.h"

namespace pleiad::fit {

std::uint64_t stored_bytes(const gemma4::EncoderTensorSpec& spec) {
  const DType type = gemma4::projector_tensor_type(spec, DType::bf16);
  return static_cast<std::uint64_t>(element_count(spec.shape)) * row_bytes(type, 1);
}

void EncoderSize::add(const gemma4::EncoderTensorSpec& spec, std::uint64_t resident) {
  n_parameters_ += element_count(spec.shape);
  file_bytes_ += stored_bytes(spec);
  resident_bytes_ += resident;
}

std::optional<Rate> predict_encoding_seconds(const Machine& machine, double matrix_operations,
                                             double attention_operations) {
  if (!machine.operations_per_second) return std::nullopt;
  const double rate = *machine.operations_per_second;
  const double seconds = matrix_operations / (rate * prompt_share(DType::bf16, machine.kernels)) +
                         attention_operations / (rate * costs_of(machine.kernels).attention_share);
  const double error = prediction_errors(machine.kernels, false).prefill;
  return Rate{seconds, seconds * (1 - error), seconds * (1 + error)};
}

}  // namespace pleiad::fit
