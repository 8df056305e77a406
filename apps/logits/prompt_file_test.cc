#include "apps/logits/prompt_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

using ::testing::HasSubstr;

TEST(ParsePromptFile, TakesPicturesOutOfTheConversationInTheirOrder) {
  const auto file = parse_prompt_file(
      R"({"messages": [
          {"role": "user", "content": [
            {"type": "image", "image": "a.png"},
            {"type": "text", "text": "and"},
            {"type": "image", "image": "/tmp/b.jpg", "budget": 70}]},
          {"role": "assistant", "content": "Yes."},
          {"role": "user", "content": [{"type": "image", "image": "a.png", "budget": "auto"}]}]})",
      "folder/prompt.json");
  ASSERT_TRUE(file) << file.message();
  const auto& pictures = file.value().pictures;
  ASSERT_EQ(pictures.size(), 3U);
  EXPECT_EQ(pictures[0].path, "folder/a.png");
  EXPECT_EQ(pictures[0].budget, "");
  EXPECT_EQ(pictures[1].path, "/tmp/b.jpg");
  EXPECT_EQ(pictures[1].budget, "70");
  EXPECT_EQ(pictures[1].field, "messages[0].content[2]");
  EXPECT_EQ(pictures[2].budget, "auto");
  const auto places = text::media_places(file.value().chat);
  ASSERT_EQ(places.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(places[static_cast<std::size_t>(i)].part->media, i);
  EXPECT_TRUE(file.value().chat.options.add_generation_prompt);
}

TEST(ParsePromptFile, NamesWhatIsWrong) {
  const auto wrong = [](std::string_view part) {
    const auto file = parse_prompt_file(
        R"({"messages": [{"role": "user", "content": [)" + std::string(part) + "]}]}", "p.json");
    return file ? "" : file.message();
  };
  EXPECT_THAT(wrong(R"({"type": "image"})"), HasSubstr("messages[0].content[0].image: expected"));
  EXPECT_THAT(wrong(R"({"type": "image", "image": 3})"), HasSubstr("content[0].image: expected"));
  EXPECT_THAT(wrong(R"({"type": "image", "image": "a", "budget": 71})"),
              HasSubstr("messages[0].content[0].budget: "));
  EXPECT_THAT(wrong(R"({"type": "image", "image": "a", "budget": null})"), HasSubstr(".budget: "));
  EXPECT_THAT(wrong(R"({"type": "image_url", "media": 0})"),
              HasSubstr("messages[0].content[0]: a picture without its bytes"));
  EXPECT_THAT(wrong(R"({"type": "audio"})"),
              HasSubstr("messages[0].content[0]: a sound without its bytes"));
  EXPECT_FALSE(parse_prompt_file("[1]", "p.json"));
  EXPECT_FALSE(parse_prompt_file("{", "p.json"));
  EXPECT_FALSE(parse_prompt_file("{}", "p.json"));
}

}  // namespace
}  // namespace pleiad::apps
