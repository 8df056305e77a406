// Products with weights of a type by activations of 16 and of 8 bits, for
// tools/rounding/products.py:
//
//   rounding_products FOLDER TYPE ROWS COLS N_X
//
// Reads weights.f32 [ROWS, COLS] and x.f32 [N_X, COLS] from FOLDER. Writes there what the type's
// blocks hold (blocks.bin), what they mean (decoded.f32), and the products [N_X, ROWS]:
// words.f32 (16 bits, one row at a time), together.f32 (the same, all in one step) and bytes.f32
// (8). PLEIAD_ISA chooses the instruction set.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "backend/cpu/cpu_backend.h"
#include "base/error.h"
#include "quantize/encode.h"
#include "tensor/decode.h"

namespace pleiad {
namespace {

std::vector<float> read_floats(const std::filesystem::path& path, std::int64_t n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  std::ifstream file(path, std::ios::binary);
  const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(float));
  if (!file.read(reinterpret_cast<char*>(values.data()), bytes) ||
      file.peek() != std::ifstream::traits_type::eof()) {
    throw Error("{}: expected {} floats", path.string(), n);
  }
  return values;
}

void write_bytes(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw Error("{}: cannot be written", path.string());
}

/// A matrix in blocks of a type, with a scale for the whole where it has one.
struct Encoded {
  std::vector<std::byte> data;
  HostTensor tensor;

  Encoded(DType type, const std::vector<float>& values, std::int64_t rows, std::int64_t cols) {
    float largest = 0;
    for (const float value : values) largest = std::max(largest, std::abs(value));
    quantize::EncodeOptions options;
    options.type = type;
    if (type == DType::nvfp4) options.tensor_scale = quantize::nvfp4_tensor_scale(largest);
    if (type == DType::f8_e4m3) options.tensor_scale = quantize::fp8_tensor_scale(largest);
    const std::size_t bytes = row_bytes(type, static_cast<std::size_t>(cols));
    data.resize(static_cast<std::size_t>(rows) * bytes);
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto first = static_cast<std::size_t>(row * cols);
      quantize::encode_row(options,
                           std::span(values).subspan(first, static_cast<std::size_t>(cols)),
                           data.data() + static_cast<std::size_t>(row) * bytes);
    }
    tensor.dtype = type;
    tensor.shape = {rows, cols};
    tensor.data = data;
    tensor.scales.tensor_scale = options.tensor_scale;
  }

  std::vector<float> decoded() const {
    std::vector<float> values(static_cast<std::size_t>(tensor.rows() * tensor.cols()));
    for (std::int64_t row = 0; row < tensor.rows(); ++row) {
      decode_row(tensor, row, values.data() + row * tensor.cols());
    }
    return values;
  }
};

/// Products with one matrix, `rows_of_step` rows at a time.
std::vector<float> multiply(const HostTensor& tensor, std::vector<float> x, std::int64_t n_x,
                            std::int64_t rows_of_step, cpu::ActivationForm activations) {
  const char* isa = std::getenv("PLEIAD_ISA");
  cpu::CpuBackend backend({.isa = isa ? isa : "",
                           .n_threads = 1,
                           .max_rows = rows_of_step,
                           .activations = activations});
  const Weight weight = backend.upload(tensor, WeightUse::matrix);
  std::vector<float> out(static_cast<std::size_t>(n_x * tensor.rows()));
  for (std::int64_t first = 0; first < n_x; first += rows_of_step) {
    const std::int64_t n = std::min(rows_of_step, n_x - first);
    const std::vector<std::int32_t> zeros(static_cast<std::size_t>(n), 0);
    backend.begin_step({zeros, zeros, zeros, 0});
    const LinearTask task = {Tensor(out.data() + first * tensor.rows(), n, tensor.rows()), &weight};
    backend.linear({&task, 1}, Tensor(x.data() + first * tensor.cols(), n, tensor.cols()));
    backend.end_step();
  }
  return out;
}

void run(const std::filesystem::path& folder, std::string_view type_name, std::int64_t rows,
         std::int64_t cols, std::int64_t n_x) {
  const auto type = dtype_from_name(type_name);
  if (!type) throw Error("TYPE: '{}' is no type of weights", type_name);
  if (rows < 1 || n_x < 1 || cols < 1 || cols % traits(*type).block_size != 0) {
    throw Error("expected positive sizes, COLS a multiple of {}, found {} {} {}",
                traits(*type).block_size, rows, cols, n_x);
  }
  const Encoded encoded(*type, read_floats(folder / "weights.f32", rows * cols), rows, cols);
  const std::vector<float> x = read_floats(folder / "x.f32", n_x * cols);
  write_bytes(folder / "blocks.bin", encoded.data);
  const std::vector<float> decoded = encoded.decoded();
  write_bytes(folder / "decoded.f32", std::as_bytes(std::span(decoded)));
  const auto write = [&](const char* name, std::int64_t rows_of_step,
                         cpu::ActivationForm activations) {
    const std::vector<float> out = multiply(encoded.tensor, x, n_x, rows_of_step, activations);
    write_bytes(folder / name, std::as_bytes(std::span(out)));
  };
  write("words.f32", 1, cpu::ActivationForm::words);
  write("together.f32", n_x, cpu::ActivationForm::words);
  write("bytes.f32", n_x, cpu::ActivationForm::bytes);
}

}  // namespace
}  // namespace pleiad

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: rounding_products FOLDER TYPE ROWS COLS N_X\n");
    return 2;
  }
  try {
    pleiad::run(argv[1], argv[2], std::atoll(argv[3]), std::atoll(argv[4]), std::atoll(argv[5]));
  } catch (const std::exception& error) {
    fmt::print(stderr, "rounding_products: {}\n", error.what());
    return 1;
  }
  return 0;
}
