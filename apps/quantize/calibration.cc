#include "apps/quantize/calibration.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "apps/common/interrupt.h"
#include "apps/common/model_flags.h"
#include "apps/common/output.h"
#include "apps/common/progress_bar.h"
#include "base/error.h"
#include "base/mapped_file.h"

namespace pleiad::apps {
namespace {

/// Fewer say nothing of most columns.
constexpr std::size_t kFewTokens = 512;

std::string read_sample_text(const std::filesystem::path& path) {
  const MappedFile file(path);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace

std::optional<eval::ImportanceMatrix> measure_importance_of(const std::filesystem::path& path,
                                                            const std::filesystem::path& text,
                                                            int n_threads,
                                                            const Environment& environment) {
  const std::string words = read_sample_text(text);
  ModelFlags flags;
  flags.threads = n_threads;
  RunnableModel loaded = load_model(flags, path, environment);
  const text::Tokenizer& tokenizer = loaded.model->tokenizer();
  const auto bos = tokenizer.vocabulary().bos();
  if (!bos) throw Error("{}: its tokenizer has no <bos>", path.string());
  const std::vector<text::TokenId> tokens = tokenizer.encode_text(words);
  if (tokens.size() < kFewTokens) {
    throw Error("{}: has {} tokens; a calibration needs {} at least, better ten thousand",
                text.string(), tokens.size(), kFewTokens);
  }
  ProgressBar bar("calibrating", ProgressBar::Unit::tokens, true);
  const InterruptGuard guard(InterruptGuard::Signals::ending);
  eval::ImportanceOptions options;
  options.progress = [&](std::int64_t done, std::int64_t total) {
    bar.update(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total));
    return !InterruptGuard::pressed();
  };
  eval::ImportanceMatrix importance =
      eval::measure_importance(loaded.model->model(), tokens, *bos, options);
  bar.clear();
  if (importance.complete) return importance;
  print_note("pleiad: stopped; nothing was written\n");
  return std::nullopt;
}

}  // namespace pleiad::apps
