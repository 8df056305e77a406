#include "apps/bench/model_source.h"

#include "apps/common/model_location.h"
#include "apps/common/progress_bar.h"

namespace pleiad::apps {

ModelSource ModelSource::of_file(const std::string& argument, const Environment& environment) {
  ModelSource source;
  source.path_ = find_model(argument, environment);
  source.description_ = source.path_.string();
  return source;
}

ModelSource ModelSource::synthetic(const std::string& spec_text, int n_threads) {
  const synthetic::Spec spec = synthetic::parse_spec(spec_text);
  ProgressBar bar("making the model", ProgressBar::Unit::bytes, true);
  synthetic::WriteOptions options;
  options.n_threads = n_threads;
  options.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  ModelSource source;
  source.in_memory_ = std::make_unique<synthetic::InMemoryModel>(spec, options);
  source.path_ = source.in_memory_->path();
  source.description_ = "synthetic " + synthetic::to_string(spec);
  return source;
}

}  // namespace pleiad::apps
