#include "digest/file_sha256.h"

#include <fstream>
#include <span>
#include <vector>

#include "digest/sha256.h"

namespace pleiad {

Result<std::string> sha256_of_file(const std::filesystem::path& path,
                                   const std::function<bool(std::uint64_t)>& goes_on) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Failure{"cannot be read"};
  Sha256 sum;
  std::vector<char> piece(kPiece);
  std::uint64_t so_far = 0;
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto n = static_cast<std::size_t>(file.gcount());
    sum.add(std::as_bytes(std::span(piece.data(), n)));
    so_far += n;
    if (!goes_on(so_far)) return Failure{"stopped"};
  }
  if (!file.eof()) return Failure{"cannot be read to its end"};
  return sum.hex();
}

}  // namespace pleiad
