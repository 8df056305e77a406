// Products with weights of every type: for tokens that are generated together (bound by reading the
// weights while they are few), and for a prompt of 512 (bound by the matrix unit, or by products of
// bytes or of floats), each beside the machine's limit ("of limit", measured at the start of
// each). Threads: PLEIAD_THREADS, instruction set: PLEIAD_ISA,
// bits of activations: PLEIAD_ACTIVATIONS (8 or 16).

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <random>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/machine_limits.h"
#include "backend/cpu/processors.h"
#include "tensor/float16.h"

namespace pleiad {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

cpu::ActivationForm activation_form() {
  const std::string bits = variable("PLEIAD_ACTIVATIONS");
  return bits == "8"    ? cpu::ActivationForm::bytes
         : bits == "16" ? cpu::ActivationForm::words
                        : cpu::ActivationForm::automatic;
}

template <typename T, typename Convert>
std::vector<std::byte> normal_values(std::size_t n, const Convert& convert) {
  std::vector<std::byte> data(n * sizeof(T));
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0.0F, 0.02F);
  for (std::size_t i = 0; i < n; ++i) {
    const T value = convert(normal(random));
    std::memcpy(data.data() + i * sizeof(T), &value, sizeof(T));
  }
  return data;
}

/// Weights as models have them: random bits would be too large, or too small to be
/// normal numbers, with which processors take their time.
std::vector<std::byte> random_weights(DType type, std::size_t n) {
  if (type == DType::f32) return normal_values<float>(n, [](float x) { return x; });
  if (type == DType::f16) return normal_values<std::uint16_t>(n, f16_from_f32);
  if (type == DType::bf16) return normal_values<std::uint16_t>(n, bf16_from_f32);
  // Random quants; scales that keep results finite.
  std::vector<std::byte> data(row_bytes(type, n));
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i + 8 <= data.size(); i += 8) {
    const std::uint64_t bits = random() & 0x3F3F3F3F3F3F3F3FULL;  // exponents stay small
    std::memcpy(data.data() + i, &bits, 8);
  }
  return data;
}

cpu::MachineLimits machine_limits() {
  const int n = std::atoi(variable("PLEIAD_THREADS").c_str());
  cpu::ThreadPool pool(n > 0 ? n : cpu::usable_cores());
  return cpu::measure_machine_limits(pool, cpu::pick_isa(variable("PLEIAD_ISA")));
}

/// Several matrices of a feed-forward's shape, more than any cache holds.
class Weights {
 public:
  static constexpr std::int64_t kRows = 6144;
  static constexpr std::int64_t kCols = 1536;

  explicit Weights(DType type)
      : backend_({.isa = variable("PLEIAD_ISA"),
                  .n_threads = std::atoi(variable("PLEIAD_THREADS").c_str()),
                  .max_rows = 512,
                  .activations = activation_form()}) {
    of_bytes_ = backend_.multiplies_bytes(type);
    const std::vector<std::byte> data = random_weights(type, kRows * kCols);
    HostTensor tensor;
    tensor.dtype = type;
    tensor.shape = {kRows, kCols};
    tensor.data = data;
    bytes_each_ = static_cast<double>(data.size());
    const auto n = static_cast<std::size_t>(600e6 / bytes_each_) + 1;
    for (std::size_t i = 0; i < n; ++i) {
      weights_.push_back(backend_.upload(tensor, WeightUse::matrix));
    }
    buffer_ = backend_.allocate(static_cast<std::size_t>(512 * (kRows + kCols)) * sizeof(float));
    auto* values = reinterpret_cast<float*>(buffer_->data());
    std::mt19937 random(2);
    std::normal_distribution<float> normal;
    for (std::int64_t i = 0; i < 512 * kCols; ++i) values[i] = normal(random);
  }

  /// One product with every matrix.
  void run(std::int64_t n_rows, bool generated) {
    const std::vector<std::int32_t> zeros(static_cast<std::size_t>(n_rows), 0);
    backend_.begin_step({zeros, zeros, zeros, generated ? n_rows : 0});
    auto* values = reinterpret_cast<float*>(buffer_->data());
    const Tensor x(values, n_rows, kCols);
    const Tensor out(values + 512 * kCols, n_rows, kRows);
    for (const Weight& weight : weights_) {
      const LinearTask task = {out, &weight};
      backend_.linear({&task, 1}, x);
    }
    backend_.end_step();
  }
  bool of_bytes() const { return of_bytes_; }
  double bytes() const { return bytes_each_ * static_cast<double>(weights_.size()); }
  double operations(std::int64_t n_rows) const {
    return 2.0 * kRows * kCols * static_cast<double>(n_rows) * static_cast<double>(weights_.size());
  }

 private:
  cpu::CpuBackend backend_;
  std::vector<Weight> weights_;
  std::unique_ptr<Buffer> buffer_;
  double bytes_each_ = 0;
  bool of_bytes_ = false;
};

const std::vector<DType> kTypes = {DType::f32,  DType::f16,  DType::bf16, DType::f8_e4m3,
                                   DType::q8_0, DType::q4_0, DType::q4_k, DType::q5_k,
                                   DType::q6_k, DType::nvfp4};

benchmark::Counter rate(double amount) {
  return {amount, benchmark::Counter::kIsIterationInvariantRate};
}

void generated(benchmark::State& state) {
  const cpu::MachineLimits limits = machine_limits();
  Weights weights(kTypes[static_cast<std::size_t>(state.range(0))]);
  for (auto _ : state) weights.run(state.range(1), true);
  state.SetLabel(std::string(name(kTypes[static_cast<std::size_t>(state.range(0))])));
  state.counters["GB/s"] = rate(weights.bytes() * 1e-9);
  state.counters["of limit"] = rate(weights.bytes() / limits.read_bytes_per_second);
}

void prompt(benchmark::State& state) {
  const cpu::MachineLimits limits = machine_limits();
  Weights weights(kTypes[static_cast<std::size_t>(state.range(0))]);
  for (auto _ : state) weights.run(state.range(1), false);
  state.SetLabel(std::string(name(kTypes[static_cast<std::size_t>(state.range(0))])));
  const double operations = weights.operations(state.range(1));
  state.counters["TFLOP/s"] = rate(operations * 1e-12);
  state.counters["of limit"] =
      rate(operations / cpu::matrix_rate(limits, weights.of_bytes()).per_second);
}

BENCHMARK(generated)
    ->ArgNames({"type", "rows"})
    ->ArgsProduct({benchmark::CreateDenseRange(0, 9, 1), {1, 2, 3, 4, 5, 8, 16}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(prompt)
    ->ArgNames({"type", "rows"})
    ->ArgsProduct({benchmark::CreateDenseRange(0, 9, 1), {512}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pleiad
