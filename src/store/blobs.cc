#include "store/blobs.h"

#include "base/check.h"
#include "base/error.h"
#include "base/output_file.h"
#include "digest/sha256.h"
#include "store/store_lock.h"

namespace pleiad::store {

namespace fs = std::filesystem;

namespace {

class FileBlobWriter final : public Catalog::BlobWriter {
 public:
  FileBlobWriter(const fs::path& store, const std::string& hex)
      : store_(store), hex_(hex), file_(blob_path(store, hex)) {}

  void write(std::span<const char> piece) override {
    const auto bytes = std::as_bytes(piece);
    sum_.add(bytes);
    file_.write(bytes);
  }

  void finish() override {
    const std::string found = sum_.hex();
    if (found != hex_) {
      throw Error("digest: expected sha256:{}, but what came has sha256:{}", hex_, found);
    }
    const StoreLock lock(store_);
    file_.finish();
  }

 private:
  fs::path store_;
  std::string hex_;
  Sha256 sum_;
  OutputFile file_;
};

}  // namespace

std::string blob_name(const std::string& hex) { return "sha256-" + hex; }

std::string blob_digits(std::string_view name) {
  constexpr std::string_view kBegin = "sha256-";
  if (!name.starts_with(kBegin)) return {};
  const auto hex = digest_hex("sha256:" + std::string(name.substr(kBegin.size())));
  return hex ? hex.value() : std::string();
}

fs::path blob_path(const fs::path& store, const std::string& hex) {
  return store / "blobs" / blob_name(hex);
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::unique_ptr<Catalog::BlobWriter> make_blob_writer(const fs::path& store,
                                                      const std::string& hex) {
  require_root(store);
  make_folder(store / "blobs");
  return std::make_unique<FileBlobWriter>(store, hex);
}

}  // namespace pleiad::store
