#include "text/python_text.h"
#include "base/testing/json.h"

#include <gtest/gtest.h>

namespace pleiad::text {
namespace {

std::string str(std::string_view json) { return python_str(json_from(json)); }

TEST(PythonText, PrintsNumbersAsPythonDoes) {
  EXPECT_EQ(str("1.0"), "1.0");
  EXPECT_EQ(str("-0.0"), "-0.0");
  EXPECT_EQ(str("0.1"), "0.1");
  EXPECT_EQ(str("1e15"), "1000000000000000.0");
  EXPECT_EQ(str("1e16"), "1e+16");
  EXPECT_EQ(str("1.5e300"), "1.5e+300");
  EXPECT_EQ(str("0.0001"), "0.0001");
  EXPECT_EQ(str("0.00001"), "1e-05");
  EXPECT_EQ(str("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(str("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(str("-9223372036854775808"), "-9223372036854775808");
}

TEST(PythonText, PrintsValuesInsideListsByTheirRepr) {
  EXPECT_EQ(str(R"("it's")"), "it's");
  EXPECT_EQ(str(R"(["a", "it's", "\"", "'\"", null, true, 1.0, {"k": []}])"),
            R"(['a', "it's", '"', '\'"', None, True, 1.0, {'k': []}])");
  EXPECT_EQ(str(R"(["\n\t\\\u0007\u00a0\u00ad\u200b\ue000é"])"),
            R"(['\n\t\\\x07\xa0\xad\u200b\ue000é'])");
}

TEST(PythonText, KnowsWhatIsTrue) {
  EXPECT_FALSE(python_truth(nullptr));
  for (const char* json : {"null", "false", "0", "0.0", "-0.0", "\"\"", "[]", "{}"}) {
    const Json value = json_from(json);
    EXPECT_FALSE(python_truth(&value)) << json;
  }
  for (const char* json : {"true", "1", "0.1", "\" \"", "[0]", "{\"\": 0}"}) {
    const Json value = json_from(json);
    EXPECT_TRUE(python_truth(&value)) << json;
  }
}

TEST(PythonText, SortsKeysWithoutRegardToCase) {
  const Json object = json_from(R"({"b": 1, "A": 2, "a": 3, "_": 4, "B": 5})");
  std::string keys;
  for (const auto& [key, value] : sorted_entries(object)) keys += key;
  EXPECT_EQ(keys, "_AabB");
}

}  // namespace
}  // namespace pleiad::text
