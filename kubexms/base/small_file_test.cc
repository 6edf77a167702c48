#include "kubexms/base/small_file.h"

#include <gtest/gtest.h>

#include "kubexms/base/test_directory_test.h"

namespace kubexms {
namespace {

class SmallFileTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& text) const { return directory_.Write("file", text); }

  TestDirectory directory_;
};

TEST_F(SmallFileTest, ReadsFilesOfMoreThanOneChunkUpToTheLimit) {
  std::string text(100'000, 'a');
  for (size_t i = 0; i < text.size(); i += 7) text[i] = '\0';
  EXPECT_EQ(ReadSmallFile(Write(text), text.size()).value(), text);
  EXPECT_TRUE(ReadSmallFile(Write(text), text.size() - 1).error().code() == 400);
  EXPECT_EQ(ReadSmallFile(Write(""), 0).value(), "");
}

TEST_F(SmallFileTest, ReturnsNothingForAFileThatDoesNotExist) {
  EXPECT_EQ(ReadSmallFile(directory_.File("other"), 10).value(), std::nullopt);
}

// A certificate file of a kubeconfig is kept as long as its client is.
TEST_F(SmallFileTest, AllocatesMemoryForTheTextOnly) {
  const auto text = ReadSmallFile(Write("certificate"), size_t{16} << 20).value();
  ASSERT_TRUE(text.has_value());
  EXPECT_LE(text->capacity(), 64u);
  const auto longer = ReadSmallFile(Write(std::string(20'000, 'a')), size_t{16} << 20).value();
  EXPECT_LE(longer->capacity(), 21'000u);
}

}  // namespace
}  // namespace kubexms
