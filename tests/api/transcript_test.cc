#include "tests/api/transcript.h"

#include <gtest/gtest.h>

namespace kubexms::transcripts {
namespace {

TEST(TranscriptTest, ParsesRequestsAndExpectations) {
  const auto transcript = ParseTranscript(
      "# what this is about\n"
      "\n"
      "POST /api/v1/namespaces/$ns/configmaps?dryRun=All\n"
      "Content-Type: application/yaml\n"
      "\n"
      "kind: ConfigMap\n"
      "data: {}\n"
      "---\n"
      "201\n"
      "Warning: *\n"
      "{\"kind\": \"ConfigMap\",\n"
      " \"data\": null}\n"
      "\n"
      "GET /readyz\n"
      "---\n"
      "200 eventually\n"
      "ok\n");
  ASSERT_TRUE(transcript.ok()) << transcript.error().message();
  ASSERT_EQ(transcript->size(), 2U);

  const Exchange& create = (*transcript)[0];
  EXPECT_EQ(create.line, 3);
  EXPECT_EQ(create.request.method, "POST");
  EXPECT_EQ(create.request.target, "/api/v1/namespaces/$ns/configmaps?dryRun=All");
  EXPECT_EQ(create.request.headers, (HeaderLines{{"Content-Type", "application/yaml"}}));
  EXPECT_EQ(create.request.body, "kind: ConfigMap\ndata: {}");
  EXPECT_EQ(create.expectation.status, 201);
  EXPECT_EQ(create.expectation.headers, (HeaderLines{{"Warning", "*"}}));
  ASSERT_EQ(create.expectation.documents.size(), 1U);
  EXPECT_EQ(WriteJson(create.expectation.documents[0]), R"({"data":null,"kind":"ConfigMap"})");

  const Exchange& ready = (*transcript)[1];
  EXPECT_TRUE(ready.expectation.eventually);
  EXPECT_EQ(ready.expectation.text, "ok");
}

TEST(TranscriptTest, ParsesTheEventsOfAWatch) {
  const auto transcript = ParseTranscript(
      "GET /api/v1/pods?watch=1\n---\n200\n{\"type\": \"ADDED\"}\n{\"type\":\n "
      "\"DELETED\"}\n...\n");
  ASSERT_TRUE(transcript.ok()) << transcript.error().message();
  EXPECT_TRUE((*transcript)[0].request.IsWatch());
  EXPECT_EQ((*transcript)[0].expectation.documents.size(), 2U);
  EXPECT_TRUE((*transcript)[0].expectation.more_may_follow);
}

std::string ErrorOf(std::string_view text) {
  const auto transcript = ParseTranscript(text);
  return transcript.ok() ? "" : transcript.error().message();
}

TEST(TranscriptTest, ErrorsNameTheLine) {
  EXPECT_EQ(ErrorOf("\n# nothing\n"), "line 1: the file contains no request");
  EXPECT_EQ(ErrorOf("\nfetch /\n"),
            "line 2: a request such as \"GET /api/v1/pods\" is expected here");
  EXPECT_EQ(ErrorOf("GET /a\n\nGET /b\n---\n200\n"),
            "line 1: the request has no expected response: \"---\" is missing");
  EXPECT_EQ(ErrorOf("GET /a\n---\nyes\n"),
            "line 3: a status such as \"200\" or \"200 eventually\" is expected here");
  EXPECT_EQ(ErrorOf("GET /a\n---\n200\n{\"a\": 1}\n{\"b\": 1}\n"),
            "line 1: only the response to a watch may have several documents");
  EXPECT_TRUE(ErrorOf("GET /a\n---\n200\n{\"a\": }\n").starts_with("line 4: in this pattern: "));
}

}  // namespace
}  // namespace kubexms::transcripts
