#include "pull/hugging_face/git_blob_id.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include "base/check.h"
#include "base/mapped_file.h"

namespace pleiad::pull::hugging_face {
namespace {

/// Fed piece by piece.
class BlobDigest {
 public:
  explicit BlobDigest(std::size_t size) : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    CHECK(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha1(), nullptr) == 1);
    std::string head = fmt::format("blob {}", size);
    head += '\0';
    add(head.data(), head.size());
  }

  void add(const void* bytes, std::size_t n) {
    CHECK(EVP_DigestUpdate(context_.get(), bytes, n) == 1);
  }

  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes = {};
    unsigned n_bytes = 0;
    CHECK(EVP_DigestFinal_ex(context_.get(), bytes.data(), &n_bytes) == 1);
    return fmt::format("{:02x}", fmt::join(bytes.begin(), bytes.begin() + n_bytes, ""));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string git_blob_id(std::string_view bytes) {
  BlobDigest digest(bytes.size());
  digest.add(bytes.data(), bytes.size());
  return digest.hex();
}

std::optional<std::string> git_blob_id_of_file(const std::filesystem::path& path,
                                               const std::function<bool()>& stop) {
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  const MappedFile file(path);
  BlobDigest digest(file.bytes().size());
  for (std::size_t at = 0; at < file.bytes().size(); at += kPiece) {
    if (stop && stop()) return std::nullopt;
    const auto piece = file.bytes().subspan(at, std::min(kPiece, file.bytes().size() - at));
    digest.add(piece.data(), piece.size());
  }
  file.check_unchanged();
  return digest.hex();
}

}  // namespace pleiad::pull::hugging_face
