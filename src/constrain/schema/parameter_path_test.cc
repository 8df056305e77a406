#include "constrain/schema/parameter_path.h"

#include <gtest/gtest.h>

#include <string>

namespace pleiad::constrain {
namespace {

TEST(ParameterPath, GoesOnFromTheSchemasOwn) {
  EXPECT_EQ(parameter_path("format", ""), "format");
  EXPECT_EQ(parameter_path("tools[3].function.parameters", "/properties/age/anyOf/1/minimum"),
            "tools[3].function.parameters.properties.age.anyOf[1].minimum");
  EXPECT_EQ(parameter_path("format", "/$defs/a-b_c/$ref"), "format.$defs.a-b_c.$ref");
}

TEST(ParameterPath, NamesThatAreNoWordsAreQuoted) {
  EXPECT_EQ(parameter_path("f", "/properties/a b"), "f.properties[\"a b\"]");
  EXPECT_EQ(parameter_path("f", "/properties/a.b/x"), "f.properties[\"a.b\"].x");
  EXPECT_EQ(parameter_path("f", "/properties//type"), "f.properties[\"\"].type");
  EXPECT_EQ(parameter_path("f", "/a~1b/c~0d/~01"), "f[\"a/b\"][\"c~d\"][\"~1\"]");
  EXPECT_EQ(parameter_path("f", "/\"\n"), "f[\"\\\"\\n\"]");
  EXPECT_EQ(parameter_path("f", "/größe"), "f[\"größe\"]");
  EXPECT_EQ(parameter_path("f", "/x~"), "f[\"x~\"]");
}

TEST(ParameterPath, LongNamesAreCutBetweenCharacters) {
  const std::string a(79, 'a');
  EXPECT_EQ(parameter_path("f", "/" + a + "b"), "f." + a + "b");
  EXPECT_EQ(parameter_path("f", "/" + a + "bc/d"), "f." + a + "b.d");
  EXPECT_EQ(parameter_path("f", "/" + a + "\u00fc/d"), "f." + a + ".d");
}

TEST(ParameterPath, IsFoundAgainInItsMessage) {
  for (const char* pointer :
       {"", "/properties/a/minimum", "/a: b/c", "/\": \"", "/a\\", "/a b/1"}) {
    const std::string path = parameter_path("text.format.schema", pointer);
    EXPECT_EQ(leading_path(path + ": expected \"x\": no"), path);
  }
  EXPECT_EQ(leading_path("no path: here"), "");
  EXPECT_EQ(leading_path(""), "");
  EXPECT_EQ(leading_path("\"never ends: "), "");
  EXPECT_EQ(leading_path("a:b"), "");
}

}  // namespace
}  // namespace pleiad::constrain
