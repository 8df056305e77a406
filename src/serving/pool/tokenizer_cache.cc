#include "serving/pool/tokenizer_cache.h"

#include <algorithm>
#include <utility>

#include "engine/loaded_model.h"

namespace pleiad::serving {

LoneTokenizer load_lone_tokenizer(const std::filesystem::path& path,
                                  const std::filesystem::path& projector) {
  const Checkpoint checkpoint = Checkpoint::open(path, {projector});
  return {load_tokenizer(checkpoint), template_family(checkpoint.config()),
          prompt_towers(checkpoint)};
}

std::shared_ptr<const LoneTokenizer> TokenizerCache::get(const std::filesystem::path& path,
                                                         const std::filesystem::path& projector) {
  const std::optional<FileStamp> stamp = file_stamp(path, projector);
  const std::lock_guard guard(mutex_);  // also while loading: once is enough
  const auto is_of = [&](const Entry& entry) {
    return entry.path == path && entry.projector == projector;
  };
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return is_of(entry) && entry.stamp == stamp;
  });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().tokenizer;
  }
  auto tokenizer = std::make_shared<const LoneTokenizer>(load_(path, projector));
  std::erase_if(entries_, is_of);
  entries_.push_front({path, projector, stamp, std::move(tokenizer)});
  if (entries_.size() > kMost) entries_.pop_back();
  return entries_.front().tokenizer;
}

}  // namespace pleiad::serving
