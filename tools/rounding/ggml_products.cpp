// Products as ggml's CPU backend computes them, for products.py, which compiles this against a
// llama.cpp source tree and what was built from it:
//
//   ggml_products FOLDER TYPE ROWS COLS N_X
//
// Reads blocks.bin [ROWS, COLS] and x.f32 [N_X, COLS]; writes the products [N_X, ROWS]:
// ggml_1.f32, row by row, and ggml.f32, all rows in one product.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "ggml-cpu.h"
#include "ggml.h"

namespace {

std::vector<char> read_file(const std::string& path, size_t bytes) {
  std::vector<char> data(bytes + 1);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr || std::fread(data.data(), 1, bytes + 1, file) != bytes) {
    std::fprintf(stderr, "%s: expected %zu bytes\n", path.c_str(), bytes);
    std::exit(1);
  }
  std::fclose(file);
  return data;
}

ggml_type type_named(const std::string& name) {
  for (int i = 0; i < GGML_TYPE_COUNT; ++i) {
    const auto type = static_cast<ggml_type>(i);
    const char* found = ggml_type_name(type);
    if (found != nullptr && name == found) return type;
  }
  std::fprintf(stderr, "ggml has no type %s\n", name.c_str());
  std::exit(1);
}

void multiply(ggml_type type, const char* blocks, const float* x, int rows, int cols, int n_x,
              float* out) {
  ggml_init_params params = {};
  params.mem_size = ggml_row_size(type, cols) * rows + (64u << 20) + sizeof(float) * n_x * (rows + cols);
  ggml_context* context = ggml_init(params);
  ggml_tensor* weights = ggml_new_tensor_2d(context, type, cols, rows);
  ggml_tensor* input = ggml_new_tensor_2d(context, GGML_TYPE_F32, cols, n_x);
  std::memcpy(weights->data, blocks, ggml_nbytes(weights));
  std::memcpy(input->data, x, ggml_nbytes(input));
  ggml_tensor* product = ggml_mul_mat(context, weights, input);
  ggml_cgraph* graph = ggml_new_graph(context);
  ggml_build_forward_expand(graph, product);
  if (ggml_graph_compute_with_ctx(context, graph, 1) != GGML_STATUS_SUCCESS) std::exit(1);
  std::memcpy(out, product->data, ggml_nbytes(product));
  ggml_free(context);
}

void write_file(const std::string& path, const std::vector<float>& values) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(values.data(), sizeof(float), values.size(), file) != values.size() ||
      std::fclose(file) != 0) {
    std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
    std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::string folder = std::string(argv[1]) + "/";
  const ggml_type type = type_named(argv[2]);
  const int rows = std::atoi(argv[3]);
  const int cols = std::atoi(argv[4]);
  const int n_x = std::atoi(argv[5]);
  const std::vector<char> blocks = read_file(folder + "blocks.bin", ggml_row_size(type, cols) * rows);
  const std::vector<char> x_bytes = read_file(folder + "x.f32", sizeof(float) * n_x * cols);
  const auto* x = reinterpret_cast<const float*>(x_bytes.data());
  std::vector<float> out(static_cast<size_t>(n_x) * rows);
  for (int i = 0; i < n_x; ++i) {
    multiply(type, blocks.data(), x + static_cast<size_t>(i) * cols, rows, cols, 1,
             out.data() + static_cast<size_t>(i) * rows);
  }
  write_file(folder + "ggml_1.f32", out);
  multiply(type, blocks.data(), x, rows, cols, n_x, out.data());
  write_file(folder + "ggml.f32", out);
  return 0;
}
