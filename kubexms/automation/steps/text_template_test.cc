#include "kubexms/automation/steps/text_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kubexms::automation {
namespace {

using ::testing::HasSubstr;

std::string Render(std::string_view text, std::string_view values = "{}") {
  const Result<std::string> rendered = RenderTemplate(text, ParseJson(values)->get_object());
  return rendered.ok() ? *rendered : "error: " + rendered.error().message();
}

TEST(TextTemplateTest, FillsInValues) {
  EXPECT_EQ(Render("no holes\n"), "no holes\n");
  EXPECT_EQ(Render("{{ a }}-{{b.c}}{{d}}", R"({"a":"x","b":{"c":1},"d":true})"), "x-1true");
  EXPECT_EQ(Render("", "{}"), "");
}

TEST(TextTemplateTest, RepeatsForLists) {
  constexpr std::string_view kText =
      "peers:\n{{ for p in peers }}\n  - {{ p.name }}\n  {{ end }}\nend\n";
  EXPECT_EQ(Render(kText, R"({"peers":[{"name":"a"},{"name":"b"}]})"),
            "peers:\n  - a\n  - b\nend\n");
  EXPECT_EQ(Render(kText, R"({"peers":[]})"), "peers:\nend\n");
  EXPECT_EQ(Render("{{for a in x}}{{for b in a}}{{b}},{{end}};{{end}}", R"({"x":[[1,2],[3]]})"),
            "1,2,;3,;");
}

TEST(TextTemplateTest, Chooses) {
  constexpr std::string_view kText = "{{ if t }}yes{{ else }}no{{ end }}";
  for (const char* so : {R"({"t":true})", R"({"t":"x"})", R"({"t":0})", R"({"t":[1]})"}) {
    EXPECT_EQ(Render(kText, so), "yes") << so;
  }
  for (const char* not_so : {"{}", R"({"t":false})", R"({"t":""})", R"({"t":[]})"}) {
    EXPECT_EQ(Render(kText, not_so), "no") << not_so;
  }
  EXPECT_EQ(Render("{{if a}}{{for x in missing}}{{end}}{{end}}ok"), "ok");
}

TEST(TextTemplateTest, WhatIsMissingIsAnError) {
  EXPECT_THAT(Render("a\n{{ b }}"), HasSubstr("line 2: there is no value b"));
  EXPECT_THAT(Render("{{ b", "{}"), HasSubstr("not closed"));
  EXPECT_THAT(Render("{{ if a }}"), HasSubstr("its {{ end }} is missing"));
  EXPECT_THAT(Render("{{ end }}"), HasSubstr("nothing to end"));
  EXPECT_THAT(Render("{{ for x }}{{ end }}"), HasSubstr("for NAME in LIST"));
  EXPECT_THAT(Render("{{ a }}", R"({"a":[]})"), HasSubstr("cannot be written"));
  EXPECT_THAT(Render("{{ a b }}"), HasSubstr("not the name of a value"));
}

}  // namespace
}  // namespace kubexms::automation
