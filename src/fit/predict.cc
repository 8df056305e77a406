#include "fit/predict.h"

#include "base/check.h"
#include "fit/shares.h"

namespace pleiad::fit {
namespace {

/// The program itself, its tokenizer, and what allocators keep.
constexpr std::uint64_t kProgramBytes = 100'000'000;

/// While a token is decoded with weights of this type.
double read_seconds(double bytes, DType type, const Machine& machine) {
  return bytes / (machine.read_bytes_per_second * decode_share(type, machine.kernels));
}

Rate around(double value, double error) {
  return {value, value * (1 - error), value * (1 + error)};
}

Errors errors_of(const ModelWork& work, const Machine& machine) {
  return prediction_errors(machine.kernels, work.config().experts.has_value());
}

}  // namespace

Rate predict_decode(const ModelWork& work, const Machine& machine, std::int64_t depth,
                    KvType kv_type) {
  const double kv_seconds =
      work.kv_bytes_per_token(depth, kv_type) / (machine.read_bytes_per_second * kKvShare);
  double seconds = kv_seconds + work.config().n_layers() * costs_of(machine.kernels).layer_seconds;
  for (const ModelWork::Part& part : work.parts()) {
    seconds += read_seconds(part.counter.weight_bytes_per_token(), part.type, machine);
  }
  return around(1 / seconds, errors_of(work, machine).decode);
}

std::optional<Rate> predict_prefill(const ModelWork& work, const Machine& machine, std::int64_t n) {
  if (!machine.operations_per_second) return std::nullopt;
  const KernelCosts& costs = costs_of(machine.kernels);
  const double rate = *machine.operations_per_second;
  double seconds = work.n_last_row_layers() * costs.layer_seconds;
  for (const ModelWork::Part& part : work.parts()) {
    seconds += read_seconds(work.last_row_bytes(part), part.type, machine);
    seconds += work.prompt_operations(part, n) / (rate * prompt_share(part.type, machine.kernels));
  }
  seconds += work.prompt_attention_operations(n) / (rate * costs.attention_share);
  seconds += static_cast<double>(n) * work.values_per_prompt_row() * costs.value_seconds;
  return around(static_cast<double>(n) / seconds, errors_of(work, machine).prefill);
}

std::optional<Rate> predict_published(const PublishedRate& rate) {
  if (!rate.bandwidth_gb_s || !rate.decode) return std::nullopt;
  const gemma4::FamilyMember* member = gemma4::find_member(rate.member);
  CHECK(member != nullptr, "{}", rate.member);
  Machine machine;
  machine.read_bytes_per_second = *rate.bandwidth_gb_s * 1e9;
  return predict_decode(ModelWork(*member, rate.type), machine, 0, KvType::bf16);
}

std::uint64_t predict_memory(const ModelWork& work, std::int64_t n, KvType kv_type) {
  return work.resident_weight_bytes() + kv_cache_bytes(work.config(), n, kv_type) +
         work.workspace_bytes() + kProgramBytes;
}

}  // namespace pleiad::fit
