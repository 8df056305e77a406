#include "apps/run/typed_message.h"

#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

using Kind = TypedMessage::Kind;

void expect(std::string typed, Kind kind, const std::string& text) {
  const TypedMessage message = read_typed_message(typed);
  EXPECT_EQ(message.kind, kind) << typed;
  EXPECT_EQ(message.text, text) << typed;
}

TEST(TypedMessage, IsWhatItBeginsWith) {
  expect("  ", Kind::nothing, "");
  expect("Hi", Kind::message, "Hi");
  expect("/help", Kind::command, "/help");
  expect("//etc is a folder", Kind::message, "/etc is a folder");
  expect(" exit ", Kind::leave, "");
  expect("quit", Kind::leave, "");
  expect("quit smoking", Kind::message, "quit smoking");
}

TEST(TypedMessage, OfSeveralLinesIsAMessageWhateverItBeginsWith) {
  expect("/etc/hosts\n127.0.0.1", Kind::message, "/etc/hosts\n127.0.0.1");
  expect("// a comment\nint x;", Kind::message, "// a comment\nint x;");
  expect("/set system a\nb", Kind::command, "/set system a\nb");
  expect("```\nnever closed", Kind::message, "```\nnever closed");
}

TEST(TypedMessage, QuotesAroundALineOrSeveralAreNoPartOfIt) {
  expect("\"\"\"a\nb\"\"\"", Kind::message, "a\nb");
  expect("\"\"\"/bin is a folder\"\"\" and more", Kind::message, "/bin is a folder and more");
  expect("\"\"\"a", Kind::open_block, "\"\"\"a");
  expect("\"\"\"\"\"\"", Kind::nothing, "");
  expect("\"\"\"a\nb\"\"\" \n", Kind::message, "a\nb \n");
  // Pasted: it is whole.
  const std::string file = "\"\"\"Doc of a module.\"\"\"\nimport os\n";
  expect(file, Kind::message, file);
  const std::string functions = "\"\"\"A\"\"\"\ndef f():\n  \"\"\"B\"\"\"";
  expect(functions, Kind::message, functions);
  expect("\"\"\"Doc of a function\nx = 1", Kind::message, "\"\"\"Doc of a function\nx = 1");
}

}  // namespace
}  // namespace pleiad::apps
