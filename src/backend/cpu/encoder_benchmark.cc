// One layer of an encoder in the sizes of E2B's tower (768 and 3072 columns, 12 heads of 64), with
// weights in BF16: whole, and its attention and its products apart, for the patches of a picture of
// 280 and of 1,120 soft tokens, beside the machine's limit ("of limit", measured at the start of
// each). Threads: PLEIAD_THREADS, instruction set: PLEIAD_ISA.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/machine_limits.h"
#include "backend/cpu/processors.h"
#include "tensor/float16.h"

namespace pleiad {
namespace {

constexpr std::int64_t kDim = 768;
constexpr std::int64_t kFfnDim = 3072;
constexpr int kHeads = 12;
constexpr int kHeadDim = 64;
constexpr std::int64_t kChunkRows = 512;
constexpr float kEps = 1e-6F;
constexpr float kBound = 100.0F;  // of the clipped inputs and outputs of products

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

int n_threads() { return std::atoi(variable("PLEIAD_THREADS").c_str()); }

/// A layer of a tower and the rows of a picture.
class EncoderLayer {
 public:
  explicit EncoderLayer(std::int64_t n_rows)
      : n_rows_(n_rows),
        backend_(
            {.isa = variable("PLEIAD_ISA"), .n_threads = n_threads(), .max_rows = kChunkRows}) {
    for (Weight* weight : {&query_, &key_, &value_, &out_}) *weight = matrix(kDim, kDim);
    gate_ = matrix(kFfnDim, kDim);
    up_ = matrix(kFfnDim, kDim);
    down_ = matrix(kDim, kFfnDim);
    norm_ = ones(kDim);
    head_norm_ = ones(kHeadDim);
    residual_ = tensor(n_rows, kDim);
    rope_ = tensor(n_rows, kHeadDim);
    for (Tensor* x : {&normed_, &a_, &b_, &c_}) *x = tensor(kChunkRows, kDim);
    for (Tensor* x : {&hidden_, &upped_}) *x = tensor(kChunkRows, kFfnDim);
    const EncoderKvLayout layout = {KvType::bf16, kHeads, kHeadDim, n_rows};
    backend_.reserve_encoder_attention(layout);
    buffers_.push_back(backend_.allocate(backend_.encoder_kv_bytes(layout)));
    kv_ = {layout, buffers_.back()->data()};
    std::normal_distribution<float> normal;
    for (std::int64_t i = 0; i < n_rows * kDim; ++i) residual_.data[i] = normal(random_);
    std::vector<std::int32_t> xs;
    std::vector<std::int32_t> ys;
    for (std::int64_t i = 0; i < n_rows; ++i) {
      xs.push_back(static_cast<std::int32_t>(i % 60));
      ys.push_back(static_cast<std::int32_t>(i / 60));
    }
    std::vector<float> frequencies;
    for (int i = 0; i < kHeadDim / 4; ++i) {
      frequencies.push_back(std::pow(100.0F, -4.0F * static_cast<float>(i) / kHeadDim));
    }
    backend_.rope_table_2d(rope_, xs, ys, frequencies);
    store_all();
  }

  void run() {
    store_all();
    in_chunks([&](std::int64_t row, std::int64_t n) {
      attention_input(row, n);
      product(a_.top(n), query_, b_.top(n));
      backend_.norm_rope_2d(a_.top(n), head_norm_, kHeadDim, rope_.from(row), kEps);
      backend_.encoder_attention(b_.top(n), a_.top(n), kv_);
      product(a_.top(n), out_, b_.top(n));
      const Tensor residual = residual_.from(row).top(n);
      backend_.norm_add(residual, a_.top(n), norm_, kEps, 1.0F);
      backend_.rms_norm(normed_.top(n), residual, &norm_, kEps);
      feed_forward(n);
      backend_.norm_add(residual, a_.top(n), norm_, kEps, 1.0F);
    });
  }
  void attend() {
    in_chunks([&](std::int64_t, std::int64_t n) {
      backend_.encoder_attention(b_.top(n), normed_.top(n), kv_);
    });
  }
  void multiply() {
    in_chunks([&](std::int64_t, std::int64_t n) {
      for (const Weight* weight : {&query_, &key_, &value_, &out_}) {
        product(a_.top(n), *weight, normed_.top(n));
      }
      product(hidden_.top(n), gate_, normed_.top(n));
      product(upped_.top(n), up_, normed_.top(n));
      product(a_.top(n), down_, hidden_.top(n));
    });
  }

  double attention_operations() const {
    return 4.0 * static_cast<double>(n_rows_) * static_cast<double>(n_rows_) * kDim;
  }
  double product_operations() const {
    return 2.0 * (4 * kDim + 3 * kFfnDim) * kDim * static_cast<double>(n_rows_);
  }

 private:
  template <typename Run>
  void in_chunks(const Run& run) const {
    for (std::int64_t row = 0; row < n_rows_; row += kChunkRows) {
      run(row, std::min(kChunkRows, n_rows_ - row));
    }
  }
  void product(Tensor out, const Weight& weight, Tensor x) {
    const LinearTask task = {out, &weight};
    backend_.linear({&task, 1}, x);
  }
  void clamped_product(Tensor out, const Weight& weight, Tensor x) {
    product(out, weight, x);
    backend_.clamp(out, out, -kBound, kBound);
  }
  void attention_input(std::int64_t row, std::int64_t n) {
    backend_.rms_norm(normed_.top(n), residual_.from(row).top(n), &norm_, kEps);
    backend_.clamp(b_.top(n), normed_.top(n), -kBound, kBound);
  }
  void store_all() {
    in_chunks([&](std::int64_t row, std::int64_t n) {
      attention_input(row, n);
      clamped_product(a_.top(n), key_, b_.top(n));
      clamped_product(c_.top(n), value_, b_.top(n));
      backend_.store_encoder_kv(kv_, row, a_.top(n), c_.top(n), head_norm_, rope_.from(row), kEps);
    });
  }
  void feed_forward(std::int64_t n) {
    backend_.clamp(b_.top(n), normed_.top(n), -kBound, kBound);
    clamped_product(hidden_.top(n), gate_, b_.top(n));
    clamped_product(upped_.top(n), up_, b_.top(n));
    backend_.gated_gelu(hidden_.top(n), upped_.top(n));
    backend_.clamp(hidden_.top(n), hidden_.top(n), -kBound, kBound);
    clamped_product(a_.top(n), down_, hidden_.top(n));
  }

  Tensor tensor(std::int64_t rows, std::int64_t cols) {
    buffers_.push_back(backend_.allocate(static_cast<std::size_t>(rows * cols) * sizeof(float)));
    return {reinterpret_cast<float*>(buffers_.back()->data()), rows, cols};
  }
  Weight matrix(std::int64_t rows, std::int64_t cols) {
    std::vector<std::uint16_t> values(static_cast<std::size_t>(rows * cols));
    std::normal_distribution<float> normal(0.0F, 0.03F);
    for (std::uint16_t& value : values) value = bf16_from_f32(normal(random_));
    HostTensor host;
    host.dtype = DType::bf16;
    host.shape = {rows, cols};
    host.data = std::as_bytes(std::span(values));
    return backend_.upload(host, WeightUse::matrix);
  }
  Weight ones(std::int64_t n) {
    const std::vector<float> values(static_cast<std::size_t>(n), 1.0F);
    HostTensor host;
    host.shape = {n};
    host.data = std::as_bytes(std::span(values));
    return backend_.upload(host, WeightUse::vector);
  }

  std::int64_t n_rows_;
  std::mt19937 random_{1};
  cpu::CpuBackend backend_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  Weight query_;
  Weight key_;
  Weight value_;
  Weight out_;
  Weight gate_;
  Weight up_;
  Weight down_;
  Weight norm_;
  Weight head_norm_;
  Tensor residual_;  // [n_rows, kDim]
  Tensor rope_;      // [n_rows, kHeadDim]
  Tensor normed_;    // of a chunk of rows, as the following
  Tensor a_;
  Tensor b_;
  Tensor c_;
  Tensor hidden_;
  Tensor upped_;
  EncoderKv kv_;
};

double float_limit() {
  const int n = n_threads();
  cpu::ThreadPool pool(n > 0 ? n : cpu::usable_cores());
  const cpu::MachineLimits limits =
      cpu::measure_machine_limits(pool, cpu::pick_isa(variable("PLEIAD_ISA")));
  return cpu::matrix_rate(limits, false).per_second;
}

template <typename Run>
void measure(benchmark::State& state, double operations, const Run& run) {
  const double limit = float_limit();
  for (auto _ : state) run();
  const auto rate = [](double amount) {
    return benchmark::Counter(amount, benchmark::Counter::kIsIterationInvariantRate);
  };
  state.counters["TFLOP/s"] = rate(operations * 1e-12);
  state.counters["of limit"] = rate(operations / limit);
}

void layer(benchmark::State& state) {
  EncoderLayer one(state.range(0));
  measure(state, one.attention_operations() + one.product_operations(), [&] { one.run(); });
}
void layer_attention(benchmark::State& state) {
  EncoderLayer one(state.range(0));
  measure(state, one.attention_operations(), [&] { one.attend(); });
}
void layer_products(benchmark::State& state) {
  EncoderLayer one(state.range(0));
  measure(state, one.product_operations(), [&] { one.multiply(); });
}

BENCHMARK(layer)->ArgName("patches")->Arg(2520)->Arg(10080)->UseRealTime()->Unit(
    benchmark::kMillisecond);
BENCHMARK(layer_attention)
    ->ArgName("patches")
    ->Arg(2520)
    ->Arg(10080)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(layer_products)
    ->ArgName("patches")
    ->Arg(2520)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pleiad
