#include "store/check_store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/text_format.h"
#include "digest/file_sha256.h"
#include "store/blobs.h"
#include "store/own_store.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

struct Blob {
  fs::path path;
  std::string hex;
  std::uint64_t bytes = 0;
};

std::vector<Blob> blobs_of(const fs::path& store) {
  std::vector<Blob> blobs;
  std::error_code error;
  fs::directory_iterator entry(store / "blobs", error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code no_file;
    const std::uintmax_t size = fs::file_size(entry->path(), no_file);
    const std::string hex = blob_digits(name);
    if (!no_file && !hex.empty()) blobs.push_back({entry->path(), hex, size});
  }
  std::ranges::sort(blobs, {}, &Blob::path);
  return blobs;
}

/// The models that need a blob, by its hex digits.
using Users = std::map<std::string, std::vector<std::string>>;

std::string whose(const Users& users, const std::string& hex) {
  const auto found = users.find(hex);
  if (found == users.end()) return "no model needs it, `pleiad prune` removes it";
  return fmt::format("needed by {}: remove the file and fetch or make the model again",
                     fmt::join(found->second, ", "));
}

void check_manifests(const fs::path& store, Users& users, StoreReport& report) {
  const OwnStore own(store);
  std::string unreadable;
  const std::vector<ModelName> names = manifest_names(store / "manifests", &unreadable);
  if (!unreadable.empty()) report.problems.push_back(unreadable);
  for (const ModelName& name : names) {
    ++report.n_models;
    const auto manifest = own.get(name);
    if (!manifest) {
      report.problems.push_back(fmt::format("{}: {}", name.text(), manifest.message()));
      continue;
    }
    for (const std::string& hex : manifest.value().blobs()) {
      users[hex].push_back(name.text());
      if (is_file(blob_path(store, hex))) continue;
      report.problems.push_back(fmt::format("{}: {} is missing, which it is made of", name.text(),
                                            blob_path(store, hex).string()));
    }
    for (const fs::path& path : {manifest.value().path, manifest.value().projector_path}) {
      std::error_code error;
      if (path.empty() || fs::exists(path, error)) continue;
      report.problems.push_back(
          fmt::format("{}: {} is missing, which it is made of", name.text(), path.string()));
    }
  }
}

/// Empty where the file is what its name says.
std::string damage_of(const Blob& blob, const std::function<void(std::uint64_t)>& so_far) {
  const auto found = sha256_of_file(blob.path, [&](std::uint64_t n) {
    so_far(n);
    return true;
  });
  if (!found) return found.message();
  return found.value() == blob.hex ? std::string()
                                   : fmt::format("is damaged: its SHA-256 is {}", found.value());
}

}  // namespace

StoreReport check_store(const fs::path& store,
                        const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  StoreReport report;
  if (store.empty()) return report;
  Users users;
  check_manifests(store, users, report);
  const std::vector<Blob> blobs = blobs_of(store);
  std::uint64_t total = 0, done = 0;
  for (const Blob& blob : blobs) total += blob.bytes;
  for (const Blob& blob : blobs) {
    const std::string problem =
        damage_of(blob, [&](std::uint64_t so_far) { progress(done + so_far, total); });
    done += blob.bytes;
    std::error_code error;
    // One that was removed meanwhile is nobody's any more.
    if (!problem.empty() && fs::exists(blob.path, error)) {
      report.problems.push_back(fmt::format("{} {} ({})", printable(blob.path.string(), 400),
                                            problem, whose(users, blob.hex)));
    }
    ++report.n_blobs;
    report.bytes += blob.bytes;
  }
  return report;
}

}  // namespace pleiad::store
