// The forward pass, in the order of the model's own description: embedding,
// per-layer inputs, the layers, the head. Each line is one operation of the
// backend; shapes stand where the tensors are declared (gemma4.h).

#include <algorithm>
#include <cmath>

#include "model/gemma4/gemma4.h"

namespace pleiad::gemma4 {
namespace {

/// Ends the step of a backend, also where an operation of it throws: what the backend computes
/// afterwards, a part of a picture say, is not of that step.
class StepScope {
 public:
  StepScope(Backend& backend, const StepRows& rows) : backend_(backend) {
    backend_.begin_step(rows);
  }
  ~StepScope() { backend_.end_step(); }
  StepScope(const StepScope&) = delete;
  StepScope& operator=(const StepScope&) = delete;

 private:
  Backend& backend_;
};

}  // namespace

Logits Gemma4::forward(std::span<const Slice> batch, KvCache& cache) {
  begin(batch, cache);
  const Logits logits = compute(batch);
  // Rows of tables, and weights without a packed form, were read from the file.
  checkpoint_.check_unchanged();
  for (const Slice& slice : batch) {
    slice.sequence->advance(static_cast<std::int64_t>(slice.tokens.size()));
  }
  return logits;
}

Logits Gemma4::compute(std::span<const Slice> batch) {
  StepRows rows = {step_.tokens, step_.positions, step_.sequences, step_.n_generated};
  if (step_.has_blocks) {
    rows.last_visible = step_.last_visible;
    if (info_.blocks_on_all_layers) rows.block_begin = step_.block_begin;
  }
  const StepScope step(backend_, rows);
  expect_rows();
  backend_.rope_table(rows_of(work_.sliding_rope), sliding_frequencies_);
  backend_.rope_table(rows_of(work_.full_rope), full_frequencies_);
  embed(rows_of(work_.residual));
  write_soft_rows(rows_of(work_.residual));
  trace("inp_embd", rows_of(work_.residual));
  if (config_.per_layer_dim > 0) prepare_per_layer_inputs();
  for (int index = 0; index < config_.n_layers() && step_.n_rows > 0; ++index) run_layer(index);
  if (!step_.wants_hidden) return head(batch.empty() ? nullptr : batch.front().take_logits);
  read_hidden(batch);
  return {{}, config_.vocab_size};
}

void Gemma4::begin(std::span<const Slice> batch, KvCache& cache) {
  step_.cache = &cache;
  for (auto* list : {&step_.tokens, &step_.positions, &step_.sequences, &step_.last_visible,
                     &step_.block_begin, &step_.wanted}) {
    list->clear();
  }
  step_.soft.clear();
  step_.has_soft = step_.has_blocks = false;
  step_.logit_places.clear();
  step_.wants_hidden = !batch.empty() && !batch.front().hidden.empty();
  CHECK(step_.tables.size() == cache.n_groups(), "the cache is not of this model");
  for (auto& tables : step_.tables) tables.clear();
  // Generated tokens, then prompts whose last row will be computed as these are, then others.
  const auto turn_of = [](const Slice& slice) {
    return slice.phase == Phase::generation ? 0 : slice.logits != WantLogits::all ? 1 : 2;
  };
  for (const int turn : {0, 1, 2}) {
    std::int64_t place = 0;  // of the slice's first logits
    for (const Slice& slice : batch) {
      const std::int64_t n_logits = slice.logits == WantLogits::none ? 0
                                    : slice.logits == WantLogits::last
                                        ? 1
                                        : static_cast<std::int64_t>(slice.tokens.size());
      if (turn_of(slice) == turn) add_slice(slice, place);
      place += n_logits;
    }
    const auto n_rows = static_cast<std::int64_t>(step_.tokens.size());
    if (turn == 0) step_.n_generated = n_rows;
    if (turn == 1) step_.n_wanted_generated = static_cast<std::int64_t>(step_.wanted.size());
  }
  if (step_.wants_hidden) step_.n_wanted_generated = step_.n_generated;
  const auto n_wanted = static_cast<std::int64_t>(step_.wanted.size());
  const bool takes_logits = !batch.empty() && batch.front().take_logits != nullptr;
  CHECK(n_wanted <= (step_.wants_hidden || takes_logits ? info_.max_hidden_rows
                                                        : std::int64_t{options_.max_logit_rows}));
  if (takes_logits) {
    const Slice& slice = batch.front();
    CHECK(batch.size() == 1 && slice.logits == WantLogits::all && slice.phase == Phase::prompt);
  }
  step_.n_rows = static_cast<std::int64_t>(step_.tokens.size());
}

void Gemma4::add_slice(const Slice& slice, std::int64_t first_logits) {
  const std::int64_t start = slice.sequence->length();
  const auto n = static_cast<std::int64_t>(slice.tokens.size());
  CHECK(n > 0 && start + n <= slice.sequence->reserved(), "{} + {} of {} reserved", start, n,
        slice.sequence->reserved());
  CHECK(static_cast<std::int64_t>(step_.tokens.size()) + n <= options_.max_rows);
  if (step_.wants_hidden) {
    CHECK(slice.logits == WantLogits::none && slice.phase == Phase::prompt);
    CHECK(slice.hidden.size() == slice.tokens.size() * static_cast<std::size_t>(config_.model_dim));
  }
  CHECK(step_.wants_hidden || slice.hidden.empty());
  const auto first_row = static_cast<std::int64_t>(step_.tokens.size());
  const auto sequence = static_cast<std::int32_t>(step_.tables.front().size());
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int32_t token = slice.tokens[static_cast<std::size_t>(i)];
    CHECK(token >= 0 && token < config_.vocab_size, "token {}", token);
    const bool wanted =
        slice.logits == WantLogits::all || (slice.logits == WantLogits::last && i + 1 == n);
    if (wanted || step_.wants_hidden) {
      step_.wanted.push_back(static_cast<std::int32_t>(step_.tokens.size()));
      step_.logit_places.push_back(first_logits++);
    }
    step_.tokens.push_back(token);
    step_.positions.push_back(static_cast<std::int32_t>(start + i));
    step_.last_visible.push_back(step_.positions.back());
    step_.block_begin.push_back(step_.positions.back());
    step_.sequences.push_back(sequence);
    step_.soft.push_back(nullptr);
  }
  place_soft_rows(slice, first_row);
  for (std::size_t group = 0; group < step_.tables.size(); ++group) {
    step_.tables[group].push_back(slice.sequence->pages(group));
  }
}

// Tables of embeddings stay in the file: the disk reads all rows while we begin.
void Gemma4::expect_rows() {
  backend_.expect_rows(embedding_, step_.tokens, 0, config_.model_dim);
  if (config_.per_layer_dim > 0) expect_per_layer_rows();
}

void Gemma4::embed(Tensor out) {
  // The reference multiplies by sqrt(d) in the dtype it runs in; ours is f32.
  const float scale = std::sqrt(static_cast<float>(config_.model_dim));
  backend_.embed(out, embedding_, 0, scale);
}

void Gemma4::run_layer(int index) {
  const Layer& layer = layers_[static_cast<std::size_t>(index)];
  const float eps = config_.rms_norm_eps;
  backend_.rms_norm(rows_of(work_.normed), rows_of(work_.residual), &layer.attention_norm, eps);
  trace(index, "attn_norm", rows_of(work_.normed));
  attend(index);  // normed -> branch; the last writer of the cache drops rows here
  if (step_.n_rows == 0) return;
  trace(index, "attn_out", rows_of(work_.branch));
  backend_.norm_add(rows_of(work_.residual), rows_of(work_.branch), layer.post_attention_norm, eps,
                    1.0F);
  backend_.rms_norm(rows_of(work_.normed), rows_of(work_.residual), &layer.ffn_norm, eps);
  feed_forward(index);  // normed -> branch
  if (layer.experts) add_experts(index);
  trace(index, "ffn_out", rows_of(work_.branch));
  const bool has_per_layer = config_.per_layer_dim > 0;
  backend_.norm_add(rows_of(work_.residual), rows_of(work_.branch), layer.post_ffn_norm, eps,
                    has_per_layer ? 1.0F : layer.output_scale);
  if (has_per_layer) add_per_layer_input(index);
  trace(index, "out", rows_of(work_.residual));
}

void Gemma4::drop_unwanted_rows() {
  const auto n = static_cast<std::int64_t>(step_.wanted.size());
  if (step_.keeps_rows()) return;
  backend_.keep_rows(step_.wanted, step_.n_wanted_generated);
  for (const Tensor& tensor : {work_.residual, work_.normed, work_.sliding_rope, work_.full_rope}) {
    if (n > 0 && n < step_.n_rows && tensor.cols > 0)
      backend_.gather_rows(tensor.top(n), tensor, step_.wanted);
  }
  step_.n_rows = n;
  if (n > 0 && config_.per_layer_dim > 0) prepare_late_per_layer_inputs();
}

Logits Gemma4::head(const TakeLogits* take) {
  const auto n = static_cast<std::int64_t>(step_.wanted.size());
  if (n == 0) return {{}, config_.vocab_size};
  const Tensor normed = work_.normed.top(n);
  backend_.rms_norm(normed, work_.residual.top(n), &final_norm_, config_.rms_norm_eps);
  trace("result_norm", normed);
  report_input({untied_head_ ? "head" : "embedding"}, normed);
  if (!take) return {read_logits(0, n), config_.vocab_size};
  for (std::int64_t first = 0; first < n; first += options_.max_logit_rows) {
    (*take)(read_logits(first, std::min<std::int64_t>(options_.max_logit_rows, n - first)));
  }
  return {{}, config_.vocab_size};
}

// Of wanted rows [first, first + n), where they belong among these.
std::span<const float> Gemma4::read_logits(std::int64_t first, std::int64_t n) {
  const Tensor logits = work_.logits.top(n);
  const LinearTask task = {logits, untied_head_ ? &untied_head_ : &embedding_};
  backend_.linear({&task, 1}, work_.normed.from(first).top(n));
  if (config_.final_logit_softcap > 0) backend_.softcap(logits, config_.final_logit_softcap);
  trace("logits", logits);
  const auto values =
      std::span(host_logits_).first(static_cast<std::size_t>(n * config_.vocab_size));
  for (std::int64_t row = 0; row < n; ++row) {
    const std::int64_t place = step_.logit_places[static_cast<std::size_t>(first + row)] - first;
    backend_.read(values.subspan(static_cast<std::size_t>(place * config_.vocab_size),
                                 static_cast<std::size_t>(config_.vocab_size)),
                  Tensor(logits.row(row), 1, logits.cols));
  }
  return values;
}

void Gemma4::read_hidden(std::span<const Slice> batch) {
  const Tensor normed = rows_of(work_.normed);
  backend_.rms_norm(normed, rows_of(work_.residual), &final_norm_, config_.rms_norm_eps);
  trace("result_norm", normed);
  report_input({untied_head_ ? "head" : "embedding"}, normed);
  std::int64_t row = 0;
  for (const Slice& slice : batch) {
    const auto n = static_cast<std::int64_t>(slice.tokens.size());
    backend_.read(slice.hidden, normed.from(row).top(n));
    row += n;
  }
}

void Gemma4::trace(std::string_view name, Tensor tensor) const {
  if (!trace_) return;
  std::vector<float> values(static_cast<std::size_t>(tensor.rows * tensor.cols));
  backend_.read(values, tensor);
  trace_(name, values, tensor.rows, tensor.cols);
}

void Gemma4::trace(int layer, std::string_view name, Tensor tensor) const {
  if (trace_) trace(fmt::format("l{}.{}", layer, name), tensor);
}

void Gemma4::report_input(std::initializer_list<std::string_view> matrices, Tensor input) const {
  if (!input_hook_ || input.rows == 0) return;
  std::vector<float> values(static_cast<std::size_t>(input.rows * input.cols));
  backend_.read(values, input);
  for (const std::string_view name : matrices) input_hook_(name, values, input.rows, input.cols);
}

void Gemma4::report_input(int layer, std::initializer_list<std::string_view> matrices,
                          Tensor input) const {
  if (!input_hook_) return;
  for (const std::string_view name : matrices) {
    report_input({fmt::format("layers.{}.{}", layer, name)}, input);
  }
}

}  // namespace pleiad::gemma4
