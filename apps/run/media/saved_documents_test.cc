#include "apps/run/media/saved_documents.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "apps/run/chat_file.h"
#include "apps/run/media/saved_media.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/testing/json.h"

namespace pleiad::apps {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ShownKind = ShownMedia::Kind;
using PagesAs = PageWishes::PagesAs;

const std::string kPdfBytes = "%PDF-1.7\n";

Json asked_with(const Json& part) {
  return Json::array({Json{
      {"role", "user"}, {"content", Json::array({part, Json{{"type", "text"}, {"text", "?"}}})}}});
}

class SavedDocumentsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("pleiad_documents_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  AttachedMedia taken(const Json& messages) {
    std::vector<AttachedMedia> media;
    const Json numbered = take_media(messages, media, folder_);
    EXPECT_EQ(numbered[0]["content"][0], Json({{"type", "document"}, {"media", 0}}));
    return media.at(0);
  }
  std::string problem(const Json& part) {
    try {
      taken(asked_with(part));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

TEST_F(SavedDocumentsTest, AConversationIsSavedWithItsDocuments) {
  AttachedMedia document;
  document.kind = ShownKind::document;
  document.name = "a.pdf";
  document.bytes = std::make_shared<const std::string>(kPdfBytes);
  document.pages = {"3-7", PagesAs::image, PictureBudget{560}};
  AttachedMedia nameless = document;
  nameless.name = "";
  nameless.bytes = std::make_shared<const std::string>("text");
  nameless.pages = {};
  ChatState state;
  state.waiting = {document, nameless};
  state.ask("What is agreed?");
  save_chat(state, folder_ / "chat.json");
  const Json saved = read_json_file(folder_ / "chat.json")["messages"][0]["content"];
  EXPECT_EQ(saved[0],
            Json({{"type", "file"},
                  {"file",
                   {{"file_data", "data:application/pdf;base64," + encode_base64(kPdfBytes)},
                    {"filename", "a.pdf"}}},
                  {"pages", "3-7"},
                  {"pages_as", "image"},
                  {"max_soft_tokens", 560}}))
      << "as OpenAI's route takes it";
  EXPECT_EQ(saved[1],
            Json({{"type", "file"}, {"file", {{"file_data", "data:text/plain;base64,dGV4dA=="}}}}));
  ChatState loaded;
  load_chat(loaded, folder_ / "chat.json");
  EXPECT_EQ(loaded.messages, state.messages);
  ASSERT_EQ(loaded.media.size(), 2U);
  EXPECT_EQ(loaded.media[0].kind, ShownKind::document);
  EXPECT_EQ(*loaded.media[0].bytes, kPdfBytes);
  EXPECT_EQ(loaded.media[0].name, "a.pdf");
  EXPECT_EQ(loaded.media[0].pages, document.pages);
  EXPECT_EQ(loaded.media[1].name, "") << "its prompt has no title, as before";
}

TEST_F(SavedDocumentsTest, OtherFormsAreTaken) {
  const std::string base64 = encode_base64(kPdfBytes);
  std::ofstream(folder_ / "in.pdf") << kPdfBytes;
  const Json address = "data:application/pdf;base64," + base64;
  const Json listed = {{"data", base64}, {"name", "in.pdf"}, {"pages", "2"}};
  const std::vector<Json> forms = {
      asked_with({{"type", "file"},
                  {"file", {{"file_data", base64}, {"filename", "in.pdf"}}},
                  {"pages", "2"}}),
      asked_with(
          {{"type", "input_file"}, {"file_data", address}, {"filename", "in.pdf"}, {"pages", "2"}}),
      asked_with({{"type", "document"}, {"document", "in.pdf"}, {"pages", "2"}}),
      asked_with({{"type", "document"}, {"document", address}, {"name", "in.pdf"}, {"pages", "2"}}),
      Json::array({Json{{"role", "user"}, {"content", "?"}, {"documents", Json::array({listed})}}}),
      Json::array({Json{{"role", "user"}, {"content", "?"}, {"images", Json::array({listed})}}})};
  for (const Json& messages : forms) {
    const AttachedMedia document = taken(messages);
    EXPECT_EQ(*document.bytes, kPdfBytes) << to_text(messages);
    EXPECT_EQ(document.name, "in.pdf") << to_text(messages);
    EXPECT_EQ(document.pages.pages, "2") << to_text(messages);
  }
  const AttachedMedia among_images = taken(
      Json::array({Json{{"role", "user"}, {"content", "?"}, {"images", Json::array({base64})}}}));
  EXPECT_EQ(among_images.kind, ShownKind::document) << "by its content";
  EXPECT_EQ(among_images.name, "");
}

TEST_F(SavedDocumentsTest, WhatIsWrongIsNamedByItsField) {
  const std::string at = "messages[0].content[0]";
  EXPECT_EQ(problem({{"type", "file"}}), at + ".file: expected an object");
  EXPECT_EQ(problem({{"type", "file"}, {"file", {{"file_id", "x"}}}}),
            at + ".file.file_data: expected a document in base64");
  EXPECT_THAT(problem({{"type", "input_file"}, {"file_data", "*"}}),
              HasSubstr(at + ".file_data: "));
  EXPECT_THAT(problem({{"type", "document"}, {"document", "no.pdf"}}),
              AllOf(HasSubstr(at + ".document: "), HasSubstr("No such file")));
  for (const char* path : {"/etc/hostname", "../a.txt", "b/../../a.txt"}) {
    EXPECT_EQ(problem({{"type", "document"}, {"document", path}}),
              fmt::format("{}.document: expected a path below the folder of this file, found '{}'",
                          at, path))
        << "of a stranger's conversation";
  }
  const auto wish = [&](const char* key, const Json& value) {
    Json part = {{"type", "input_file"}, {"file_data", "aGk="}};
    part[key] = value;
    return problem(part);
  };
  EXPECT_EQ(wish("pages", "7-3"), at + ".pages: expected pages such as 3-7,9 or 12-, found '7-3'");
  EXPECT_EQ(wish("pages", 7), at + ".pages: expected a text");
  EXPECT_EQ(wish("pages_as", "x"), at + ".pages_as: expected auto|text|image, found 'x'");
  EXPECT_EQ(wish("max_soft_tokens", 7),
            at + ".max_soft_tokens: expected 70|140|280|560|1120|auto, found '7'");
  EXPECT_EQ(wish("filename", std::string(1001, 'x')),
            at + ".filename: expected at most 1000 bytes, found 1001");
}

TEST_F(SavedDocumentsTest, TypesAreToldByContent) {
  const auto type = [](std::string_view bytes, const std::string& name) {
    return document_type(std::as_bytes(std::span(bytes)), name);
  };
  EXPECT_EQ(type(kPdfBytes, "a.txt"), "application/pdf");
  EXPECT_EQ(type("PK\3\4", ""),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document");
  EXPECT_EQ(type("<html>", ""), "text/html");
  EXPECT_EQ(type("# x", "a.md"), "text/plain");
  EXPECT_EQ(type(std::string_view("\0\1", 2), ""), "application/octet-stream");
}

}  // namespace
}  // namespace pleiad::apps
