#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "store/manifest.h"
#include "store/model_name.h"

namespace pleiad::store {

/// Where a blob of these 64 hex digits grows while it comes from another host:
/// partial/sha256-<hex>, at every moment a prefix of it, resumed from its end.
std::filesystem::path partial_path(const std::filesystem::path& store, const std::string& hex);

/// Held while files come and until they are a model, so that nobody takes what lies in partial/ for
/// dead: a lock on that folder, which any number of processes share. Makes the folder, and waits
/// for whoever tidies up there. Throws Error.
class ArrivalsLock {
 public:
  explicit ArrivalsLock(const std::filesystem::path& store);
  ~ArrivalsLock();
  ArrivalsLock(const ArrivalsLock&) = delete;
  ArrivalsLock& operator=(const ArrivalsLock&) = delete;

 private:
  friend std::unique_ptr<ArrivalsLock> lock_idle_arrivals(const std::filesystem::path& store);
  ArrivalsLock() = default;

  int folder_ = -1;
};

/// For who tidies up: while it is held nobody begins to fetch. Empty where somebody fetches, or
/// there is no such folder.
std::unique_ptr<ArrivalsLock> lock_idle_arrivals(const std::filesystem::path& store);

/// Among our blobs there is one of these digits and as long as that.
bool has_whole_blob(const std::filesystem::path& store, const std::string& hex,
                    std::uint64_t bytes);

/// Makes a model of one file, and its projector's where the manifest names one, of blobs that have
/// come: those of `arrived` lie in partial/, whole, and were checked by their digest; the others
/// are blobs already. The model is looked at, the files move to their places, and the manifest is
/// written, last; an older one of that name is replaced, and what only it needed goes. A projector
/// that cannot be used, of a model that can without it, is left out: the result says why,
/// without its path, and is empty otherwise. Throws Error, and all is as before. The caller holds a
/// StoreLock.
std::string install(const std::filesystem::path& store, const ModelName& name, Manifest manifest,
                    const std::set<std::string>& arrived);

}  // namespace pleiad::store
