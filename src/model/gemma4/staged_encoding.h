#pragma once

#include <cstdint>
#include <vector>

#include "backend/backend.h"
#include "model/gemma4/encoder_source.h"
#include "model/media_encoding.h"

namespace pleiad::gemma4 {

/// A picture or a clip on its way to soft tokens. The work lies in stages, each of which goes over
/// all its rows in chunks before the next one begins. No bit depends on how it is cut.
class StagedEncoding : public MediaEncoding {
 public:
  bool advance(std::int64_t rows) final;
  double progress() const final;
  std::vector<float> take() final;

 protected:
  /// `max_rows`: of a chunk. Borrows all.
  StagedEncoding(const EncoderSource& source, Backend& backend, std::int64_t max_rows)
      : source_(source), backend_(backend), max_rows_(max_rows) {}

  /// Before the first advance(): the soft tokens' values, the operations of all stages, and those
  /// of a row as advance() counts them.
  void plan(std::int64_t n_values, double operations, double operations_of_counted_row);

  /// Loads a part of what is missing of the encoder; false where nothing is.
  virtual bool load_next_part() { return false; }

  // Of the stage under way.
  virtual void run_stage(std::int64_t first, std::int64_t n) = 0;
  virtual std::int64_t rows_of_stage() const = 0;
  virtual double operations_of_row() const = 0;
  /// False where it was the last.
  virtual bool next_stage() = 0;

  /// soft token = W norm(x), of rows from `first` on: x [n, width] is normed in its place, `soft`
  /// is room for [n, model_dim].
  void project(std::int64_t first, Tensor x, float eps, const Weight& projector, Tensor soft);

  static Tensor rows(Tensor tensor, std::int64_t first, std::int64_t n) {
    return tensor.from(first).top(n);
  }

  const EncoderSource& source_;
  Backend& backend_;

 private:
  std::int64_t max_rows_;
  std::vector<float> soft_tokens_;  // [soft tokens, model_dim], as far as they are computed
  std::int64_t next_row_ = 0;       // of the stage
  double operations_done_ = 0.0;
  double operations_in_all_ = 0.0;
  double operations_of_counted_row_ = 0.0;
  bool is_done_ = false;
};

}  // namespace pleiad::gemma4
