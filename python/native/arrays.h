#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>

namespace pleiad::python {

template <typename T>
using Vector = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;
using Matrix = nanobind::ndarray<nanobind::numpy, float, nanobind::ndim<2>>;

/// Memory that becomes an array of NumPy's without a copy: the array owns it from then on.
template <typename T>
class ArrayMemory {
 public:
  explicit ArrayMemory(std::size_t n) : values_(new T[n]) {}  // for overwrite

  T* data() { return values_.get(); }

  Vector<T> vector(std::size_t n) && {
    T* values = values_.get();
    return Vector<T>(values, {n}, owner());
  }
  Matrix matrix(std::size_t rows, std::size_t cols) && {
    T* values = values_.get();
    return Matrix(values, {rows, cols}, owner());
  }

 private:
  nanobind::capsule owner() {
    nanobind::capsule capsule(values_.get(),
                              [](void* values) noexcept { delete[] static_cast<T*>(values); });
    (void)values_.release();
    return capsule;
  }

  std::unique_ptr<T[]> values_;
};

}  // namespace pleiad::python
