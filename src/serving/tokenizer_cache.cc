#include "serving/tokenizer_cache.h"

#include <algorithm>
#include <utility>

#include "engine/loaded_model.h"

namespace pleiad::serving {

LoneTokenizer load_lone_tokenizer(const std::filesystem::path& path) {
  const Checkpoint checkpoint = Checkpoint::open(path);
  return {load_tokenizer(checkpoint), template_family(checkpoint.config()),
          vision_prompt(checkpoint)};
}

std::shared_ptr<const LoneTokenizer> TokenizerCache::get(const std::filesystem::path& path) {
  const std::optional<FileStamp> stamp = file_stamp(path);
  const std::lock_guard guard(mutex_);  // also while loading: once is enough
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.path == path && entry.stamp == stamp;
  });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().tokenizer;
  }
  auto tokenizer = std::make_shared<const LoneTokenizer>(load_(path));
  std::erase_if(entries_, [&](const Entry& entry) { return entry.path == path; });
  entries_.push_front({path, stamp, std::move(tokenizer)});
  if (entries_.size() > kMost) entries_.pop_back();
  return entries_.front().tokenizer;
}

}  // namespace pleiad::serving
