#include "apps/quantize/calibration.h"

#include <string>
#include <vector>

#include "apps/common/model_flags.h"
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

eval::ImportanceMatrix measure_importance_of(const std::filesystem::path& path,
                                             const std::filesystem::path& text, int n_threads,
                                             const Environment& environment,
                                             const WriteWatch& watch) {
  const std::string words = read_sample_text(text);
  ModelFlags flags;
  flags.threads = n_threads;
  RunnableModel loaded = load_model(flags, path, environment, 1, watch.check);
  const text::Tokenizer& tokenizer = loaded.model->tokenizer();
  const auto bos = tokenizer.vocabulary().bos();
  if (!bos) throw Error("{}: its tokenizer has no <bos>", path.string());
  const std::vector<text::TokenId> tokens = tokenizer.encode_text(words);
  if (tokens.size() < kFewTokens) {
    throw Error("{}: has {} tokens; a calibration needs {} at least, better ten thousand",
                text.string(), tokens.size(), kFewTokens);
  }
  eval::ImportanceOptions options;
  options.progress = [&](std::int64_t done, std::int64_t total) {
    watch.check();
    watch.progress("calibrating", static_cast<std::uint64_t>(done),
                   static_cast<std::uint64_t>(total));
    return true;
  };
  return eval::measure_importance(loaded.model->model(), tokens, *bos, options);
}

}  // namespace pleiad::apps
