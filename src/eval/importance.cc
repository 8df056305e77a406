#include "eval/importance.h"

#include <algorithm>

#include "base/error.h"

namespace pleiad::eval {
namespace {

/// Sums of squares by tensor, in double precision and in the order of the text.
class Accumulator {
 public:
  void add(std::string_view name, std::span<const float> values, std::int64_t rows,
           std::int64_t cols) {
    auto found = sums_.find(name);
    if (found == sums_.end()) found = sums_.emplace(std::string(name), Sums{}).first;
    Sums& sums = found->second;
    sums.squares.resize(static_cast<std::size_t>(cols));
    sums.n_rows += rows;
    for (std::int64_t row = 0; row < rows; ++row) {
      const float* in = values.data() + row * cols;
      for (std::size_t col = 0; col < sums.squares.size(); ++col) {
        sums.squares[col] += double{in[col]} * double{in[col]};
      }
    }
  }

  void write_means(ImportanceMatrix& matrix) const {
    for (const auto& [name, sums] : sums_) {
      std::vector<float>& means = matrix.columns[name];
      means.reserve(sums.squares.size());
      for (const double square : sums.squares) {
        means.push_back(static_cast<float>(square / static_cast<double>(sums.n_rows)));
      }
    }
  }

 private:
  struct Sums {
    std::vector<double> squares;  // [in]
    std::int64_t n_rows = 0;
  };
  std::map<std::string, Sums, std::less<>> sums_;
};

/// The model's hook, taken back also when something is thrown.
class HookGuard {
 public:
  HookGuard(Model& model, Accumulator& sums) : model_(model) {
    model.set_input_hook([&sums](std::string_view name, std::span<const float> values,
                                 std::int64_t rows,
                                 std::int64_t cols) { sums.add(name, values, rows, cols); });
  }
  ~HookGuard() { model_.set_input_hook({}); }
  HookGuard(const HookGuard&) = delete;
  HookGuard& operator=(const HookGuard&) = delete;

 private:
  Model& model_;
};

/// One chunk. Hidden states are asked for since then no row is dropped on the way.
void compute(Model& model, KvCache& cache, std::span<const text::TokenId> chunk,
             std::vector<float>& hidden) {
  const ModelInfo& info = model.info();
  KvSequence sequence(cache);
  while (!chunk.empty()) {
    const std::size_t n = std::min(chunk.size(), static_cast<std::size_t>(info.max_hidden_rows));
    hidden.resize(n * static_cast<std::size_t>(info.model_dim));
    sequence.reserve(static_cast<std::int64_t>(n));
    const Slice slice = {&sequence, chunk.first(n), WantLogits::none, Phase::prompt, hidden};
    model.forward({&slice, 1}, cache);
    chunk = chunk.subspan(n);
  }
}

}  // namespace

std::span<const float> ImportanceMatrix::find(std::string_view tensor) const {
  const auto found = columns.find(tensor);
  return found == columns.end() ? std::span<const float>() : std::span(found->second);
}

ImportanceMatrix measure_importance(Model& model, std::span<const text::TokenId> tokens,
                                    text::TokenId bos, const ImportanceOptions& options) {
  if (tokens.empty()) throw Error("the text to calibrate with is empty");
  const std::int64_t context = std::min(options.chunk_tokens, model.info().context_length);
  if (context < 2) throw Error("a chunk needs at least 2 tokens, not {}", context);
  const auto step = static_cast<std::size_t>(context - 1);
  const std::size_t limit =
      options.max_chunks > 0 ? static_cast<std::size_t>(options.max_chunks) * step : tokens.size();
  tokens = tokens.first(std::min(tokens.size(), limit));
  const auto total = static_cast<std::int64_t>(tokens.size());

  Accumulator sums;
  ImportanceMatrix matrix;
  const HookGuard guard(model, sums);
  const auto cache = model.make_kv_cache({KvType::f32, KvCacheOptions().page_tokens});
  std::vector<text::TokenId> chunk;
  std::vector<float> hidden;
  for (std::size_t at = 0; at < tokens.size() && matrix.complete; at += step) {
    const auto part = tokens.subspan(at, std::min(step, tokens.size() - at));
    chunk.assign(1, bos);
    chunk.insert(chunk.end(), part.begin(), part.end());
    compute(model, *cache, chunk, hidden);
    matrix.n_tokens += static_cast<std::int64_t>(chunk.size());
    const auto done = static_cast<std::int64_t>(at + part.size());
    if (options.progress && !options.progress(done, total)) matrix.complete = done == total;
  }
  sums.write_means(matrix);
  return matrix;
}

}  // namespace pleiad::eval
