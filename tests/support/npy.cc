#include "support/npy.h"

#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace pleiad::testing_support {

Matrix read_npy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string bytes = stream.str();
  if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY") != 0) {
    throw std::runtime_error(path.string() + ": not a .npy file");
  }
  const std::size_t header_size =
      static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
  const std::string header = bytes.substr(10, header_size);
  std::smatch match;
  if (header.find("'<f4'") == std::string::npos ||
      header.find("'fortran_order': False") == std::string::npos ||
      !std::regex_search(header, match, std::regex(R"(\((\d+), (\d+)\))"))) {
    throw std::runtime_error(path.string() + ": unexpected header " + header);
  }
  Matrix matrix;
  matrix.rows = std::stoll(match[1]);
  matrix.cols = std::stoll(match[2]);
  matrix.values.resize(static_cast<std::size_t>(matrix.rows * matrix.cols));
  if (bytes.size() != 10 + header_size + matrix.values.size() * 4) {
    throw std::runtime_error(path.string() + ": size and shape disagree");
  }
  std::memcpy(matrix.values.data(), bytes.data() + 10 + header_size, matrix.values.size() * 4);
  return matrix;
}

}  // namespace pleiad::testing_support
