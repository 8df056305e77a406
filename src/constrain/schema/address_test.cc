#include "constrain/schema/address.h"

#include <gtest/gtest.h>

#include <array>

namespace pleiad::constrain {
namespace {

// The examples of RFC 3986, sections 5.4.1 and 5.4.2, but for those with fragments.
TEST(Address, IsResolvedAsTheStandardHasIt) {
  constexpr std::array<std::array<const char*, 2>, 36> kExamples = {{
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"../../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {".g", "http://a/b/c/.g"},
      {"g..", "http://a/b/c/g.."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/./x", "http://a/b/c/g?y/./x"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
      {"http:g", "http:g"},
  }};
  for (const auto& [reference, address] : kExamples) {
    EXPECT_EQ(resolved_address("http://a/b/c/d;p?q", reference), address) << reference;
  }
}

TEST(Address, OfABaseThatIsNoneOrRelativeIsAsFarAsItSays) {
  EXPECT_EQ(resolved_address("", "./item.json"), "item.json");
  EXPECT_EQ(resolved_address("", "../item.json"), "item.json");
  EXPECT_EQ(resolved_address("", "urn:x:y"), "urn:x:y");
  EXPECT_EQ(resolved_address("a/b.json", "../c.json"), "c.json");
  EXPECT_EQ(resolved_address("/a/b.json", "c.json"), "/a/c.json");
  EXPECT_EQ(resolved_address("http://a", "g"), "http://a/g");
  EXPECT_EQ(resolved_address("http://a?q", "?y"), "http://a?y");
  EXPECT_EQ(resolved_address("file:///a/b", "../c"), "file:///c");
}

}  // namespace
}  // namespace pleiad::constrain
