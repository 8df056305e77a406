#include <gmock/gmock.h>

#include "base/error.h"
#include "base/output_file_testing.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST_F(OutputFileTest, TakesItsNameWhenItIsFinished) {
  OutputFile file(folder_ / "a");
  put(file, "one");
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  put(file, "two");
  file.finish();
  EXPECT_EQ(text_of(folder_ / "a"), "onetwo");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, UnfinishedLeavesTheOldFileAndNothingElse) {
  std::ofstream(folder_ / "a") << "old";
  {
    OutputFile file(folder_ / "a");
    put(file, "new");
  }
  EXPECT_EQ(text_of(folder_ / "a"), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, ErrorsNameThePath) {
  EXPECT_THAT(error_of(folder_ / "missing" / "a"),
              HasSubstr((fs::path("missing") / "a").string() + ": cannot write"));
  EXPECT_THAT(error_of(folder_), HasSubstr("Is a directory"));
}

TEST_F(OutputFileTest, WritesZerosBetweenOtherBytes) {
  constexpr std::uint64_t kZeros = 10'000'000;
  OutputFile file(folder_ / "a");
  put(file, "one");
  file.write_zeros(kZeros);
  put(file, "two");
  file.write_zeros(5);
  file.finish();
  EXPECT_EQ(text_of(folder_ / "a"),
            "one" + std::string(kZeros, '\0') + "two" + std::string(5, '\0'));
}

}  // namespace
}  // namespace pleiad
