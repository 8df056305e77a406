#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/openai/chat_testing.h"
#include "api/openai/transcriptions/languages.h"
#include "api/openai/transcriptions/transcript.h"

namespace pleiad::api::openai {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

using FormFields = std::vector<std::pair<std::string, std::string>>;

class Transcriptions : public Chat {
 protected:
  Transcriptions() {
    api_.service.deltas = {content_delta(" Good"), content_delta(" morning.\n")};
    api_.service.end = result_of(31.5, 2);
  }

  static serving::AnswerResult result_of(double seconds, std::int64_t clips) {
    serving::AnswerResult result = finished_result(800, 0, 3);
    serving::MediaUse use;
    use.kind = serving::MediaKind::sound;
    use.seconds = seconds;
    use.clips = clips;
    use.clip_seconds = 30;
    use.tokens = 788;
    result.media = {use};
    return result;
  }

  static std::string form_file(const std::string& content, const std::string& name = "a.wav",
                               const std::string& type = "audio/wav") {
    return "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name +
           "\"\r\nContent-Type: " + type + "\r\n\r\n" + content + "\r\n";
  }
  ApiHarness::Answer send_files(const std::string& files, FormFields fields = {},
                                const std::string& route = "transcriptions") {
    std::string body;
    fields.insert(fields.begin(), {"model", "demo"});
    for (const auto& [name, value] : fields) {
      body +=
          "--xyz\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
    }
    return api_.call("POST", "/v1/audio/" + route, body + files + "--xyz--\r\n",
                     {{"content-type", "multipart/form-data; boundary=xyz"}});
  }
  ApiHarness::Answer send(FormFields fields, const std::string& route = "transcriptions",
                          bool with_file = true) {
    return send_files(with_file ? form_file("RIFF") : "", std::move(fields), route);
  }
  Json problem(const FormFields& fields, bool with_file = true) {
    const auto answer = send(fields, "transcriptions", with_file);
    EXPECT_EQ(answer->status(), 400) << answer->body();
    return json_of(answer)["error"];
  }
};

TEST_F(Transcriptions, EveryClipIsHeardAloneAndAllAreOneText) {
  const auto answer = send({});
  ASSERT_EQ(answer->status(), 200) << answer->body();
  EXPECT_EQ(json_of(answer), json_from(R"({"text": "Good morning. Good morning.", "usage": {
      "type": "tokens", "input_tokens": 1600, "output_tokens": 6, "total_tokens": 1606,
      "input_token_details": {"audio_tokens": 788, "text_tokens": 812}}})"));
  ASSERT_THAT(api_.service.answers, SizeIs(2));
  const serving::AnswerRequest& first = api_.service.answers[0];
  EXPECT_EQ(first.media.at(0).kind, serving::MediaKind::sound);
  EXPECT_EQ(*first.media[0].bytes, "RIFF");
  EXPECT_EQ(first.media[0].clip, 0U);
  EXPECT_EQ(first.messages[0]["content"][0], (Json{{"type", "audio"}, {"media", 0}}));
  EXPECT_EQ(first.sampling.temperature, 0);
  EXPECT_EQ(api_.service.answers[1].media.at(0).clip, 1U);
  EXPECT_EQ(api_.service.answers[1].media[0].prepared, first.media[0].prepared) << "read once";
}

TEST_F(Transcriptions, AreGivenInTheFormThatIsAskedFor) {
  EXPECT_EQ(send({{"response_format", "text"}})->body(), "Good morning. Good morning.\n");
  EXPECT_EQ(send({{"response_format", "srt"}})->body(),
            "1\n00:00:00,000 --> 00:00:30,000\nGood morning.\n\n"
            "2\n00:00:30,000 --> 00:00:31,500\nGood morning.\n\n");
  const std::string vtt = send({{"response_format", "vtt"}})->body();
  EXPECT_THAT(vtt, HasSubstr("WEBVTT\n\nNOTE Each cue is a clip of at most 30 s"));
  EXPECT_THAT(vtt, HasSubstr("00:00:30.000 --> 00:00:31.500\nGood morning.\n"));
  const Json verbose = json_of(send({{"response_format", "verbose_json"}, {"language", "de"}}));
  EXPECT_EQ(verbose["task"], "transcribe");
  EXPECT_EQ(verbose["language"], "german");
  EXPECT_EQ(verbose["duration"], 31.5);
  EXPECT_EQ(verbose["usage"], json_from(R"({"type": "duration", "seconds": 31.5})"));
  // All fields that the API's clients demand.
  EXPECT_EQ(verbose["segments"][1], json_from(R"({"id": 1, "seek": 3000, "start": 30.0,
      "end": 31.5, "text": "Good morning.", "tokens": [], "temperature": 0.0, "avg_logprob": 0.0,
      "compression_ratio": 1.0, "no_speech_prob": 0.0})"));
  EXPECT_THAT(verbose["warnings"][0].get<std::string>(), HasSubstr("avg_logprob"));
  EXPECT_EQ(cue_time(3'661.0456, '.'), "01:01:01.046");
}

TEST_F(Transcriptions, CuesHaveNothingThatEndsThem) {
  api_.service.deltas = {content_delta("a\n\n2\n00:00:00,000 --> 00:00:09,000\nb <i> & c")};
  api_.service.end = result_of(3, 1);
  EXPECT_EQ(send({{"response_format", "srt"}})->body(),
            "1\n00:00:00,000 --> 00:00:03,000\na 2 00:00:00,000 -> 00:00:09,000 b <i> & c\n\n");
  EXPECT_THAT(send({{"response_format", "vtt"}})->body(),
              HasSubstr("03.000\na 2 00:00:00,000 -> 00:00:09,000 b &lt;i> &amp; c\n\n"));
  api_.service.deltas = {content_delta("a ----> b -> c")};
  EXPECT_THAT(send({{"response_format", "vtt"}})->body(), HasSubstr("03.000\na -> b -> c\n\n"));
  api_.service.deltas = {content_delta(" \n")};
  EXPECT_EQ(send({{"response_format", "srt"}})->body(), "");
}

TEST_F(Transcriptions, OfAnHourOfSilenceAreAnHourWithoutWords) {
  api_.service.deltas = {content_delta(" \n")};
  api_.service.end = result_of(3'600, 120);
  EXPECT_EQ(json_of(send({}))["text"], "");
  EXPECT_THAT(api_.service.answers, SizeIs(120));
  EXPECT_EQ(api_.service.answers.back().media.at(0).clip, 119U);
  EXPECT_EQ(send({{"response_format", "text"}})->body(), "\n");
  EXPECT_EQ(send({{"response_format", "srt"}})->body(), "");
  EXPECT_THAT(send({{"response_format", "vtt"}})->body(), Not(HasSubstr("-->")));
  const Json segments = json_of(send({{"response_format", "verbose_json"}}))["segments"];
  ASSERT_THAT(segments, SizeIs(120));
  EXPECT_EQ(segments[119]["start"], 3'570.0);
  EXPECT_EQ(segments[119]["end"], 3'600.0);
  EXPECT_EQ(cue_time(3'600, ','), "01:00:00,000");
}

TEST_F(Transcriptions, AFormHasOneFileWhoseContentCounts) {
  const auto refused = [&](const std::string& files) {
    const auto answer = send_files(files);
    EXPECT_EQ(answer->status(), 400) << answer->body();
    EXPECT_EQ(json_of(answer)["error"]["param"], "file") << answer->body();
    return json_of(answer)["error"]["message"].get<std::string>();
  };
  EXPECT_THAT(refused(form_file("RIFF") + form_file("RIFF")), HasSubstr("given twice"));
  EXPECT_THAT(refused(form_file("")), HasSubstr("found no bytes"));
  EXPECT_TRUE(api_.service.answers.empty());
  // Whatever it is called.
  ASSERT_EQ(send_files(form_file("RIFF", "photo.png", "image/png"))->status(), 200);
  ASSERT_EQ(send_files(form_file("RIFF", "../../etc/passwd", "text/html"))->status(), 200);
  EXPECT_EQ(*api_.service.answers.front().media.at(0).bytes, "RIFF");
}

TEST_F(Transcriptions, AllClipsHaveTheTimeOfOneRequest) {
  send({});
  ASSERT_THAT(api_.service.answers, SizeIs(2));
  ASSERT_TRUE(api_.service.answers[0].begun);
  EXPECT_EQ(api_.service.answers[1].begun, api_.service.answers[0].begun);
  EXPECT_FALSE(api_.service.answers[1].media[0].bytes) << "read once, and let go";
  EXPECT_FALSE(api_.service.answers[0].goes_on);
  EXPECT_TRUE(api_.service.answers[1].goes_on) << "no full queue loses what was heard";
}

TEST_F(Transcriptions, AServerThatEndsSaysSo) {
  serving::AnswerResult ended = result_of(31.5, 2);
  ended.reason = FinishReason::cancelled;
  api_.service.end = ended;
  EXPECT_EQ(send({})->status(), 503);
}

TEST_F(Transcriptions, UnknownFieldsAreRefusedWhereThatIsAskedFor) {
  api_.context.spare_fields = SpareFields::refuse;
  EXPECT_EQ(problem({{"colour", "red"}})["code"], "unknown_parameter");
  EXPECT_TRUE(api_.service.answers.empty());
}

TEST_F(Transcriptions, TheQuestionNamesTheLanguageAndTheTask) {
  const auto question = [&] {
    return api_.service.answers.back().messages[0]["content"][1]["text"].get<std::string>();
  };
  send({{"language", "FR"}, {"prompt", "Bonjour"}});
  EXPECT_THAT(question(), HasSubstr("in French, in French"));
  EXPECT_THAT(question(), HasSubstr("go on from this: Bonjour"));
  send({{"language", "German"}}, "translations");
  EXPECT_THAT(question(), HasSubstr("Translate the speech, which is in German, into English"));
  EXPECT_EQ(language_name("klingon"), std::nullopt);
}

TEST_F(Transcriptions, ProblemsNameTheField) {
  EXPECT_EQ(problem({}, false)["param"], "file");
  EXPECT_EQ(problem({{"response_format", "xml"}})["param"], "response_format");
  EXPECT_EQ(problem({{"temperature", "hot"}})["param"], "temperature");
  EXPECT_EQ(problem({{"language", "xx"}})["param"], "language");
  EXPECT_EQ(problem({{"stream", "true"}})["param"], "stream");
  EXPECT_EQ(problem({{"timestamp_granularities[]", "word"}})["param"], "timestamp_granularities[]");
  EXPECT_EQ(problem({{"timestamp_granularities[]", "segment"},
                     {"timestamp_granularities[]", "word"}})["param"],
            "timestamp_granularities[]");
  EXPECT_THAT(problem({{"model", "x"}})["message"].get<std::string>(), HasSubstr("given twice"));
  const auto other = api_.call("POST", "/v1/audio/transcriptions", "{}");
  EXPECT_EQ(other->status(), 400);
  EXPECT_THAT(other->body(), HasSubstr("multipart/form-data"));
  EXPECT_TRUE(api_.service.answers.empty());
  EXPECT_THAT(json_of(send({{"colour", "red"}}))["warnings"][0].get<std::string>(),
              HasSubstr("colour"));
}

TEST_F(Transcriptions, WhatIsCutOffOrFailsIsTold) {
  serving::AnswerResult cut = result_of(12, 1);
  cut.reason = FinishReason::length;
  api_.service.end = cut;
  EXPECT_THAT(json_of(send({}))["warnings"][0].get<std::string>(),
              HasSubstr("from 0 s to 12 s is cut off"));
  api_.service.end = service_error(serving::ServiceError::Code::unsupported,
                                   "file: demo has no audio tower that can be used");
  const auto answer = send({});
  EXPECT_EQ(answer->status(), 400);
  EXPECT_THAT(answer->body(), HasSubstr("has no audio tower"));
}

}  // namespace
}  // namespace pleiad::api::openai
