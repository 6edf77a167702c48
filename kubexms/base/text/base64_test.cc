#include "kubexms/base/text/base64.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace kubexms {
namespace {

TEST(Base64Test, EncodesTheTestVectorsOfTheRfc) {
  const std::pair<std::string, std::string> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(EncodeBase64(bytes), text);
    EXPECT_EQ(*DecodeBase64(text), bytes);
  }
}

TEST(Base64Test, HasAFormForUrls) {
  EXPECT_EQ(EncodeBase64("\xFB\xEF\xFF"), "++//");
  EXPECT_EQ(EncodeBase64("\xFB\xEF\xFF", Base64Form::kUrl), "--__");
  EXPECT_EQ(EncodeBase64("f", Base64Form::kUrl), "Zg");
  EXPECT_EQ(*DecodeBase64("Zg", Base64Form::kUrl), "f");
}

TEST(Base64Test, SkipsLineBreaks) { EXPECT_EQ(*DecodeBase64("Zm9v\r\nYmFy\n"), "foobar"); }

TEST(Base64Test, RefusesNonCanonicalEncodings) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "=", "====", "Zg==Zg==", "Z g=", "Zh==",
                           "Zm9=", "Zm9v=", "--__", "Zm9v\xFF"}) {
    EXPECT_FALSE(DecodeBase64(text).ok()) << text;
  }
  for (const char* text : {"Zg==", "Z", "++//", "Zh"}) {
    EXPECT_FALSE(DecodeBase64(text, Base64Form::kUrl).ok()) << text;
  }
  EXPECT_EQ(DecodeBase64("Zm9v*").error().message(), "malformed base64 at offset 4");
}

TEST(Base64Test, RoundTrips) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    RC_ASSERT(*DecodeBase64(EncodeBase64(bytes)) == bytes);
    const std::string url = EncodeBase64(bytes, Base64Form::kUrl);
    RC_ASSERT(*DecodeBase64(url, Base64Form::kUrl) == bytes);
  }));
}

}  // namespace
}  // namespace kubexms
