#include "apps/logits/token_list.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace pleiad::apps {

TEST(ParseTokenList, TakesCommasAndWhiteSpace) {
  const std::vector<std::int32_t> expected = {2, 45, 107};
  EXPECT_EQ(parse_token_list("2,45,107", 200), expected);
  EXPECT_EQ(parse_token_list(" 2 45\n107,", 200), expected);
}

TEST(ParseTokenList, RefusesWhatIsNoToken) {
  for (const char* text : {"", " , ", "2,x", "2,-1", "200", "2.5", "99999999999999999999"}) {
    EXPECT_THROW((void)parse_token_list(text, 200), Error) << text;
  }
}

}  // namespace pleiad::apps
