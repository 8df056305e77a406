#include "formats/npy/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "base/error.h"
#include "formats/npy/writer.h"

namespace pleiad::npy {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

File parse(std::string_view bytes) {
  return File::from_bytes(std::as_bytes(std::span(bytes)), "a.npy");
}

/// A file of version 1 with this header and data.
std::string npy_file(const std::string& header, const std::string& data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  return bytes + header + data;
}

constexpr const char* kHeader = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }\n";

TEST(NpyReader, ReadsWhatTheWriterWrote) {
  const fs::path path = fs::temp_directory_path() / ("pleiad_npy_" + std::to_string(::getpid()));
  Writer writer(path, 2, 3);
  writer.write(std::vector<float>{1, 2, 3, 4, 5, 6});
  writer.finish();
  const File file = File::open(path);
  fs::remove(path);
  EXPECT_EQ(file.rows(), 2);
  std::array<float, 3> row = {};
  file.read_row(1, row);
  EXPECT_THAT(row, ElementsAre(4, 5, 6));
}

TEST(NpyReader, RefusesOtherTypesOrdersShapesAndSizes) {
  EXPECT_EQ(parse(npy_file(kHeader, "12345678")).cols(), 2);
  EXPECT_THROW(parse(""), LoadError);
  EXPECT_THROW(parse(std::string("\x93NUMPY\x01\x00\xff\xff{}", 12)), LoadError);
  EXPECT_THROW(parse(npy_file(kHeader, "1234567")), LoadError) << "a byte is missing";
  EXPECT_THROW(parse(npy_file(kHeader, "123456789")), LoadError);
  const auto with = [](std::string_view from, std::string_view to) {
    std::string header = kHeader;
    return npy_file(header.replace(header.find(from), from.size(), to), "12345678");
  };
  EXPECT_THROW(parse(with("<f4", "<f8")), LoadError);
  EXPECT_THROW(parse(with("False", "True")), LoadError);
  EXPECT_THROW(parse(with("(1, 2)", "(2,)")), LoadError);
  EXPECT_THROW(parse(with("(1, 2)", "(1, 1, 2)")), LoadError);
  EXPECT_THROW(parse(with("(1, 2)", "(-1, -2)")), LoadError);
  EXPECT_THROW(parse(with("(1, 2)", "(4611686018427387905, 8)")), LoadError) << "overflows";
}

}  // namespace
}  // namespace pleiad::npy
