#include "eval/text_evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/check.h"
#include "base/error.h"
#include "eval/window_logits.h"
#include "sampling/softmax.h"

namespace pleiad::eval {
namespace {

/// What is computed of one window, before it is known that it counts.
struct TokenScore {
  std::vector<double> losses;  // by model; of a saved reference at the end
  std::optional<TokenComparison> comparison;
};

class TextEvaluator {
 public:
  explicit TextEvaluator(const TextRequest& request) : request_(request) {
    CHECK(request.models.size() == 1 || request.models.size() == 2);
    CHECK(!request.against || request.models.size() == 1);
    for (const TextModel& model : request.models) {
      check_vocabulary(model.name, model.model->info().vocab_size);
      readers_.push_back(
          std::make_unique<WindowLogits>(*model.model, request.kv_type, request.bos));
      most_rows_ = std::min(most_rows_, readers_.back()->most_rows());
      report_.models.push_back({model.name, {}});
    }
    if (request.against) {
      check_vocabulary(request.against->source(), request.against->header().vocab_size);
      if (request.against->header().bos != request.bos) {
        throw Error("{}: its windows begin with token {}, those of {} with {}",
                    request.against->source(), request.against->header().bos,
                    request.models.front().name, request.bos);
      }
      request.against->check();
      report_.comparison.emplace().reference = request.against->header().model;
    } else if (request.models.size() == 2) {
      report_.comparison.emplace().reference = request.models.front().name;
    }
  }

  TextReport run() {
    const auto windows =
        cut_windows(static_cast<std::int64_t>(request_.tokens.size()), request_.windows);
    if (windows.empty()) {
      throw Error("the text has {} tokens: that is no whole window of {}", request_.tokens.size(),
                  request_.windows.context);
    }
    report_.n_text_tokens = static_cast<std::int64_t>(request_.tokens.size());
    report_.n_windows_asked = std::ssize(windows);
    for (const TextWindow& window : windows) total_ += window.n_scored();
    for (const TextWindow& window : windows) {
      if (!compute(window)) return std::move(report_);
      count_window();
    }
    return std::move(report_);
  }

 private:
  void check_vocabulary(const std::string& name, std::int64_t size) const {
    const TextModel& first = request_.models.front();
    const std::int64_t expected = first.model->info().vocab_size;
    if (size == expected) return;
    throw Error("{} has a vocabulary of {} pieces, {} one of {}: they cannot be compared", name,
                size, first.name, expected);
  }

  /// False when it was stopped.
  bool compute(const TextWindow& window) {
    scores_.clear();
    for (auto& reader : readers_) reader->begin(request_.tokens, window);
    while (std::ssize(scores_) < window.n_scored()) {
      std::vector<Logits> logits;
      for (auto& reader : readers_) logits.push_back(reader->next(most_rows_));
      for (std::int64_t row = 0; row < logits.front().n_rows(); ++row) {
        const auto place = static_cast<std::size_t>(window.first_scored) + scores_.size();
        score(logits, row, request_.tokens[place], place);
      }
      const bool goes_on =
          !request_.progress || request_.progress(done_ + std::ssize(scores_), total_);
      if (!goes_on && done_ + std::ssize(scores_) < total_) return false;
    }
    done_ += window.n_scored();
    return true;
  }

  void score(std::span<const Logits> logits, std::int64_t row, text::TokenId target,
             std::size_t place) {
    TokenScore score;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const auto values = logits[i].row(row);
      const double norm = sampling::log_sum_exp(values);
      const double loss = norm - double{values[static_cast<std::size_t>(target)]};
      if (!std::isfinite(loss)) {
        throw Error("{}: the logits of token {} of the text are not numbers",
                    request_.models[i].name, place);
      }
      score.losses.push_back(loss);
    }
    const auto first = logits.front().row(row);
    if (request_.against) {
      CHECK(request_.against->next(saved_));
      score.comparison = compare_saved(saved_, first, target);
      score.losses.push_back(-saved_.target);
    } else if (logits.size() == 2) {
      score.comparison = rows_.compare(first, logits[1].row(row), target);
    }
    if (request_.save) request_.save->add(first, target);
    scores_.push_back(std::move(score));
  }

  void count_window() {
    for (const TokenScore& score : scores_) {
      for (std::size_t i = 0; i < report_.models.size(); ++i) {
        report_.models[i].loss.add(score.losses[i]);
      }
      if (!score.comparison) continue;
      TextComparison& comparison = *report_.comparison;
      comparison.tokens.add(*score.comparison);
      // A saved reference's loss stands behind the model's, a model's before the other's.
      const double sign = request_.against ? -1 : 1;
      comparison.loss_difference.add(sign * (score.losses[1] - score.losses[0]));
    }
    for (Perplexity& model : report_.models) model.loss.end_group();
    if (report_.comparison) {
      report_.comparison->tokens.end_window();
      report_.comparison->loss_difference.end_group();
    }
    ++report_.n_windows;
  }

  const TextRequest& request_;
  std::vector<std::unique_ptr<WindowLogits>> readers_;
  std::int64_t most_rows_ = std::numeric_limits<std::int64_t>::max();
  RowComparison rows_;
  SavedRow saved_;
  std::vector<TokenScore> scores_;  // of the window under way
  std::int64_t done_ = 0;           // tokens that count
  std::int64_t total_ = 0;
  TextReport report_;
};

}  // namespace

double Perplexity::value() const { return std::exp(loss.mean()); }

double Perplexity::standard_error() const { return value() * loss.plain_error(); }

Interval Perplexity::interval() const {
  const Interval of_loss = loss.interval();
  return {std::exp(of_loss.low), std::exp(of_loss.high)};
}

TextReport evaluate_text(const TextRequest& request) { return TextEvaluator(request).run(); }

}  // namespace pleiad::eval
