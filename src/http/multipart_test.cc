#include "http/multipart.h"

#include <gtest/gtest.h>

namespace pleiad::http {
namespace {

constexpr const char* kForm = "multipart/form-data; boundary=xyz";

// As curl and the clients' HTTP libraries write it.
std::string whole_form() {
  std::string body =
      "--xyz\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\ndemo\r\n--xyz\r\n"
      "content-disposition: form-data; NAME=file; filename=\"a \\\"b\\\".wav\"\r\n"
      "Content-Type: audio/wav\r\n\r\nRIFF\r\n--xy\r\n";
  body += '\0';
  return body + "z\r\n--xyz--\r\n";
}

std::string problem(std::string_view body, std::string_view type = kForm) {
  const auto parts = parse_multipart(body, type);
  return parts ? "" : parts.message();
}

TEST(Multipart, HasTextsAndFiles) {
  const std::string body = whole_form();
  const auto parts = parse_multipart(body, kForm);
  ASSERT_TRUE(parts) << parts.message();
  ASSERT_EQ(parts.value().size(), 2u);
  EXPECT_EQ(parts.value()[0].name, "model");
  EXPECT_EQ(parts.value()[0].content, "demo");
  EXPECT_FALSE(parts.value()[0].is_file);
  EXPECT_EQ(parts.value()[1].name, "file");
  EXPECT_EQ(parts.value()[1].file_name, "a \"b\".wav");
  EXPECT_TRUE(parts.value()[1].is_file);
  EXPECT_EQ(parts.value()[1].content, std::string_view("RIFF\r\n--xy\r\n\0z", 14));
}

TEST(Multipart, AFileMayHaveItsNameInOtherLettersAlone) {
  const auto parts = parse_multipart(
      "--x\r\nContent-Disposition: form-data; name=\"file\"; filename*=UTF-8''%C3%A4.wav\r\n\r\n"
      "RIFF\r\n--x--",
      "multipart/form-data; boundary=x");
  ASSERT_TRUE(parts) << parts.message();
  EXPECT_TRUE(parts.value().at(0).is_file);
  EXPECT_EQ(parts.value()[0].content, "RIFF");
}

TEST(Multipart, TheBoundaryMayBeQuotedAndWhatStandsAroundMeansNothing) {
  const std::string body =
      "a preamble\r\n--a b  \r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\r\n--a "
      "b--\r\nend";
  const auto parts = parse_multipart(body, "Multipart/Form-Data; charset=utf-8; boundary=\"a b\"");
  ASSERT_TRUE(parts) << parts.message();
  ASSERT_EQ(parts.value().size(), 1u);
  EXPECT_EQ(parts.value()[0].content, "");
  EXPECT_EQ(parse_multipart("--xyz--\r\n", kForm).value().size(), 0u);
}

TEST(Multipart, WhatIsNoneIsNamed) {
  EXPECT_EQ(problem("{}", "application/json"), "expected a body of type multipart/form-data");
  EXPECT_EQ(problem("--x--", "multipart/form-data"),
            "expected a boundary of 1 to 70 characters in Content-Type");
  EXPECT_EQ(problem("--x--", "multipart/form-data; boundary=" + std::string(71, 'x')),
            "expected a boundary of 1 to 70 characters in Content-Type");
  EXPECT_EQ(problem("hello"), "the form has no parts");
  EXPECT_EQ(problem("--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\ncut"),
            "the form is cut off: its last part has no end");
  EXPECT_EQ(problem("--xyzw\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n--xyz--"),
            "a boundary of the form is followed by something else than a part");
  EXPECT_EQ(problem("--xyz\r\n\r\n\r\n--xyz--"), "part 0 of the form has no Content-Disposition");
  EXPECT_EQ(problem("--xyz\r\n--xyz--"), "part 0 of the form has no head");
  EXPECT_EQ(problem("--xyz\r\nContent-Disposition: form-data\r\n\r\n\r\n--xyz--"),
            "part 0 of the form has no name");
  std::string many;
  for (int i = 0; i < 65; ++i) {
    many += "--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n";
  }
  EXPECT_EQ(problem(many + "--xyz--"), "the form has more than 64 parts");
}

}  // namespace
}  // namespace pleiad::http
