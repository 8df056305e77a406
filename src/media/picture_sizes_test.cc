#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/json.h"
#include "base/testing/paths.h"
#include "media/budget.h"

namespace pleiad::media {
namespace {

// The page has the rule in JavaScript, to say what a picture costs before it is sent; its test
// (tests/web/pictures_test.py) reads the same table, which is the reference's.
TEST(PictureSizes, AreTheReferencesAndSoThePages) {
  const std::string path = golden_path("media/picture_sizes.json");
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const Json rows = parse_json(text, path);
  ASSERT_GT(rows.size(), 500U);
  for (const Json& row : rows) {
    const PictureSize target =
        target_size({row[0].get<int>(), row[1].get<int>()}, row[2].get<int>());
    EXPECT_EQ(target, (PictureSize{row[3].get<int>(), row[4].get<int>()})) << to_text(row);
  }
}

}  // namespace
}  // namespace pleiad::media
