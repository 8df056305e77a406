#include "constrain/grammars/tool_inputs.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "constrain/constrain_test_data.h"
#include "constrain/grammars/grammar_forms.h"
#include "constrain/grammars/text_grammar.h"
#include "constrain/replies/reply_forms.h"

namespace pleiad::constrain::grammars {
namespace {

/// Tools "patch", whose input has the grammar, and "other", whose input is any text.
Json tools_with(const std::string& syntax, const std::string& definition) {
  const Json parameters = {{"type", "object"},
                           {"properties", {{"input", {{"type", "string"}}}}},
                           {"required", Json::array({"input"})}};
  Json patch = {{"name", "patch"}, {"parameters", parameters}};
  patch["format"] = text_grammar(syntax, definition);
  patch["format"]["field"] = "a client's text";
  Json tools = Json::array();
  tools.push_back({{"type", "function"}, {"function", patch}});
  tools.push_back(
      {{"type", "function"}, {"function", {{"name", "other"}, {"parameters", parameters}}}});
  return tools;
}

struct Calls {
  explicit Calls(const Json& tools, bool must_call = true,
                 const std::vector<std::string>& paths = {})
      : forms(*test_vocabulary().vocabulary, test_vocabulary().ends) {
    ToolPolicy policy;
    policy.must_call = must_call;
    auto calls = forms.tools(1, tools, policy, Start::at_once);
    EXPECT_TRUE(calls) << (calls ? "" : calls.message());
    auto made = forms.grammars().tool_inputs(1, tools, std::move(calls).value(), paths, &warnings);
    problem = made ? "" : made.message();
    if (made) constraint = std::move(made).value();
  }

  bool allows(text::TokenId token) {
    Bits bits((test_vocabulary().vocabulary->size() + 63) / 64);
    return !constraint->allowed_next(bits) || has(bits, token);
  }
  /// False where a byte was not allowed.
  bool write(std::string_view text) {
    for (const char c : text) {
      const auto token = test_vocabulary().vocabulary->byte_piece(static_cast<std::uint8_t>(c));
      if (!allows(token)) return false;
      constraint->accept(token);
    }
    return true;
  }
  bool write(text::Tag tag) {
    if (!allows(test_vocabulary().tag(tag))) return false;
    constraint->accept(test_vocabulary().tag(tag));
    return true;
  }
  bool open(const char* name) {
    return write(text::Tag::tool_call_open) && write(fmt::format("call:{}{{input:", name)) &&
           write(text::Tag::quote);
  }
  bool close() {
    return write(text::Tag::quote) && write("}") && write(text::Tag::tool_call_close);
  }

  ReplyForms forms;
  std::string problem;
  std::vector<std::string> warnings;
  std::unique_ptr<sampling::TokenConstraint> constraint;
};

TEST(ToolInputs, HoldATextToItsGrammar) {
  Calls calls(tools_with("regex", "[0-9]+;"));
  ASSERT_TRUE(calls.open("patch"));
  EXPECT_FALSE(calls.write("a"));
  EXPECT_FALSE(calls.write(text::Tag::quote));
  ASSERT_TRUE(calls.write("12"));
  EXPECT_FALSE(calls.write(text::Tag::quote));
  ASSERT_TRUE(calls.write(";"));
  EXPECT_FALSE(calls.write(";"));
  EXPECT_FALSE(calls.allows(test_vocabulary().ends[0]));
  EXPECT_TRUE(calls.close());
  EXPECT_TRUE(calls.allows(test_vocabulary().ends[0]));
}

TEST(ToolInputs, OtherToolsTakeAnyText) {
  Calls calls(tools_with("regex", "[0-9]+"));
  ASSERT_TRUE(calls.open("other"));
  EXPECT_TRUE(calls.write("call:patch{input:x"));
  EXPECT_TRUE(calls.close());
}

TEST(ToolInputs, HoldCallsWithinFreeText) {
  Calls calls(tools_with("lark", "start: \"a\" \"b\"?"), false);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(calls.write("call:patch{input:"));
    ASSERT_TRUE(calls.open("patch"));
    EXPECT_FALSE(calls.write("b"));
    ASSERT_TRUE(calls.write("a"));
    EXPECT_TRUE(calls.close());
  }
}

TEST(ToolInputs, TakeTheGrammarOfPatchesThatAgentsSend) {
  Calls calls(tools_with("lark", R"(
start: begin hunk+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?
hunk: "*** Add File: " name LF added+ -> add
    | "*** Delete File: " name LF
    | "*** Update File: " name LF ("*** Move to: " name LF)? change?
name: /(.+)/
added: "+" /(.*)/ LF
change: (("@@" | "@@ " /(.+)/) LF | ("+" | "-" | " ") /(.*)/ LF)+ ("*** End of File" LF)?
%import common.LF
)"));
  ASSERT_TRUE(calls.open("patch"));
  EXPECT_TRUE(
      calls.write("*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-x = 1\n+\n y\n"
                  "*** Add File: b\n+line\n*** End Patch"));
  EXPECT_FALSE(calls.write("x"));
  EXPECT_TRUE(calls.close());
}

TEST(ToolInputs, GrammarsOfOneRequestShareItsBudget) {
  const Json one = tools_with("regex", "a{60000}b");
  EXPECT_EQ(Calls(one).problem, "");
  Json many = Json::array();
  for (int i = 0; i < 40; ++i) {
    Json tool = one[0];
    tool["function"]["name"] = fmt::format("patch{}", i);
    tool["function"]["format"]["definition"] = fmt::format("a{{60000}}b{}", i);
    many.push_back(std::move(tool));
  }
  Calls calls(many);
  EXPECT_TRUE(calls.problem.find("the grammar is too large") != std::string::npos);
  // Also when it is sent again, though some of them are kept then.
  EXPECT_GT(calls.forms.grammars().n_kept(), 0U);
  EXPECT_FALSE(calls.forms.grammars().tool_inputs(1, many, nullptr));
}

TEST(ToolInputs, WhatIsWrongIsNamedWithItsField) {
  EXPECT_EQ(Calls(tools_with("lark", "start: x")).problem,
            "tools[0].function.format: line 1, column 8: there is no rule or terminal \"x\"");
  EXPECT_EQ(Calls(tools_with("lark", "start: x"), true, {"tools[0].format.definition"}).problem,
            "tools[0].format.definition: line 1, column 8: there is no rule or terminal \"x\"");
}

TEST(ToolInputs, WhatThereIsToTellOfSchemasIsToldWithItsField) {
  const char* grammar = R"(start: "a" | %json {"properties":{"b":{"enum":[]}}})";
  const std::string told =
      "line 1, column 20: %json.properties.b: no value can satisfy it, so none is written";
  using Warnings = std::vector<std::string>;
  EXPECT_EQ(Calls(tools_with("lark", grammar)).warnings,
            Warnings{"tools[0].function.format: " + told});
  EXPECT_EQ(Calls(tools_with("lark", grammar), true, {"tools[0].format.definition"}).warnings,
            Warnings{"tools[0].format.definition: " + told});
  EXPECT_EQ(Calls(tools_with("lark", "start: \"a\"")).warnings, Warnings());
}

TEST(ToolInputs, ACopyGoesOnByItself) {
  Calls calls(tools_with("regex", "12|34"));
  ASSERT_TRUE(calls.open("patch"));
  auto second = calls.constraint->copy();
  ASSERT_TRUE(calls.write("12"));
  std::swap(second, calls.constraint);
  EXPECT_FALSE(calls.write("2"));
  ASSERT_TRUE(calls.write("34"));
  EXPECT_TRUE(calls.close());
  std::swap(second, calls.constraint);
  EXPECT_TRUE(calls.close());
}

}  // namespace
}  // namespace pleiad::constrain::grammars
