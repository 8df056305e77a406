#include <gmock/gmock.h>

#include <fstream>
#include <string>

#include "base/testing/json.h"
#include "base/testing/paths.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"

// What libraries write as schemas of their types, values of these, and values of none: each schema
// is held, or refused for the reason that its entry states. `jsonschema` says the same of the
// values (tools/structured_output/idioms_file.py).
namespace pleiad::constrain {
namespace {

Json idioms_of(const std::string& library) {
  std::ifstream file(source_path("src/constrain/schema/idioms/" + library + ".json"));
  return json_from(file);
}

void expect_verdicts(Grammar& grammar, const Json& entry, const char* key, bool expected) {
  if (!entry.contains(key)) return;
  for (const Json& value : entry[key]) {
    EXPECT_EQ(takes(grammar, to_text(value)), expected) << to_text(value);
  }
}

class Idioms : public testing::TestWithParam<const char*> {};

TEST_P(Idioms, AreHeldOrRefusedForAReason) {
  const Json entries = idioms_of(GetParam());
  ASSERT_GE(entries.size(), 28U);
  for (const Json& entry : entries) {
    SCOPED_TRACE(entry["idiom"].get<std::string>());
    const auto grammar = make_json_grammar(test_vocabulary().trie, entry["schema"], Start::at_once);
    if (entry.contains("refused")) {
      ASSERT_FALSE(grammar);
      EXPECT_THAT(grammar.message(), testing::StartsWith(entry["refused"].get<std::string>()));
      continue;
    }
    ASSERT_TRUE(grammar) << grammar.message();
    ASSERT_TRUE(entry.contains("valid") && entry.contains("invalid"));
    expect_verdicts(*grammar.value(), entry, "valid", true);
    expect_verdicts(*grammar.value(), entry, "invalid", false);
  }
}

/// What a tool's arguments are held to: all that can be enforced, and a note of the rest.
TEST_P(Idioms, OfToolsHoldWhatTheyCan) {
  SchemaPolicy policy;
  policy.refuse_unenforced = false;
  for (const Json& entry : idioms_of(GetParam())) {
    SCOPED_TRACE(entry["idiom"].get<std::string>());
    const auto grammar =
        make_json_grammar(test_vocabulary().trie, entry["schema"], Start::at_once, policy);
    if (!grammar) {
      EXPECT_TRUE(entry.contains("refused")) << grammar.message();
      continue;
    }
    EXPECT_TRUE(!entry.contains("refused") || !grammar.value()->unenforced().empty());
    expect_verdicts(*grammar.value(), entry, "valid", true);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Idioms, testing::Values("pydantic", "typebox", "zod"),
                         [](const auto& library) { return std::string(library.param); });

}  // namespace
}  // namespace pleiad::constrain
