#include "digest/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "base/check.h"
#include "base/text_format.h"

namespace pleiad {

namespace {
constexpr std::string_view kPrefix = "sha256:";
constexpr std::size_t kHexDigits = 64;
}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() {
    CHECK(context != nullptr);
    CHECK(EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1);
  }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned size = 0;
  CHECK(EVP_DigestFinal_ex(state_->context, digest.data(), &size) == 1);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256_hex(std::string_view text) {
  Sha256 sum;
  sum.add(text);
  return sum.hex();
}

Result<std::string> digest_hex(std::string_view digest) {
  const auto refuse = [&] {
    return Failure{fmt::format("digest: expected sha256: and {} hex digits, found '{}'", kHexDigits,
                               printable(digest))};
  };
  if (!digest.starts_with(kPrefix) || digest.size() != kPrefix.size() + kHexDigits) {
    return refuse();
  }
  std::string hex(digest.substr(kPrefix.size()));
  for (char& c : hex) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return refuse();
  }
  return hex;
}

}  // namespace pleiad
