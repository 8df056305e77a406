#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/cpu_backend.h"

// What the suites that every backend runs share: today the CPU with each instruction set and with
// one, two and three threads.

namespace pleiad {

struct Variant {
  std::string isa;
  int n_threads;
};

inline std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const cpu::Isa isa : cpu::usable_isas()) {
    for (const int n_threads : {1, 2, 3}) all.push_back({std::string(cpu::name(isa)), n_threads});
  }
  return all;
}

class BackendTest : public ::testing::TestWithParam<Variant> {
 protected:
  BackendTest()
      : backend_({.isa = GetParam().isa, .n_threads = GetParam().n_threads, .max_rows = 80}) {}

  Tensor tensor(std::int64_t rows, std::int64_t cols) {
    buffers_.push_back(backend_.allocate(static_cast<std::size_t>(rows * cols) * sizeof(float)));
    Tensor result(reinterpret_cast<float*>(buffers_.back()->data()), rows, cols);
    return result;
  }
  Tensor random_tensor(std::int64_t rows, std::int64_t cols) {
    Tensor result = tensor(rows, cols);
    std::normal_distribution<float> distribution;
    for (std::int64_t i = 0; i < rows * cols; ++i) result.data[i] = distribution(random_);
    return result;
  }
  Weight vector(const std::vector<float>& values) {
    HostTensor host;
    host.shape = {static_cast<std::int64_t>(values.size())};
    host.data = std::as_bytes(std::span(values));
    return backend_.upload(host, WeightUse::vector);
  }
  Weight matrix(const std::vector<float>& values, Shape shape, WeightUse use = WeightUse::matrix) {
    HostTensor host;
    host.shape = std::move(shape);
    host.data = std::as_bytes(std::span(values));
    return backend_.upload(host, use);
  }

  cpu::CpuBackend backend_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<std::vector<std::uint16_t>> kept_;
  std::mt19937 random_{3};
};

inline std::string variant_name(const ::testing::TestParamInfo<Variant>& variant) {
  return variant.param.isa + "_" + std::to_string(variant.param.n_threads);
}

}  // namespace pleiad
