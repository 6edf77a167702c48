// Checks the words of every --help text: imperatives with an object, and no pronouns in place of
// nouns, so that each text can be understood without its neighbors.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/cli/commands.h"

namespace kubexms {
namespace {

// Verbs that a summary or a description may begin with. Add a verb when a new command needs one.
const std::set<std::string_view> kImperatives = {
    "Add",   "Undo",   "Save",   "Adopt",  "Apply",   "Back",     "Build",  "Change", "Check",
    "Copy",  "Create", "Delete", "Fetch",  "Install", "List",     "Log",    "Manage", "Power",
    "Print", "Prune",  "Remove", "Renew",  "Restore", "Resume",   "Roll",   "Run",    "Serve",
    "Show",  "Start",  "Stop",   "Update", "Upgrade", "Validate", "Verify", "Write"};

// Words that stand in for a noun, and phrases with an established replacement (docs/glossary.md),
// besides those that tests/tidy refuses everywhere.
const std::vector<std::string> kBannedPhrases = {
    "it",     "what",     "who",          "whom",          "whoever",   "someone", "anybody",
    "nobody", "that one", "if not given", "as it is",      "there is",  "go on",   "goes on",
    "made",   "asks for", "asked for",    "several times", "left alone"};

// "  Foo, bar." → " foo bar ".
std::string Normalized(std::string_view text) {
  std::string words = " ";
  for (const char c : text) {
    const bool part = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    if (part) {
      words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (words.back() != ' ') {
      words += ' ';
    }
  }
  return words.back() == ' ' ? words : words + ' ';
}

std::string FirstWord(const std::string& text) { return text.substr(0, text.find_first_of(" \n")); }

void ExpectNoBannedPhrase(const std::string& text, const std::string& where) {
  const std::string words = Normalized(text);
  for (const std::string& phrase : kBannedPhrases) {
    EXPECT_EQ(words.find(" " + phrase + " "), std::string::npos)
        << where << ": \"" << phrase << "\" in: " << text;
  }
}

void ExpectImperative(const std::string& text, const std::string& where) {
  EXPECT_TRUE(kImperatives.contains(FirstWord(text)))
      << where << " must begin with an imperative: " << text;
}

// The docs of flags and arguments: noun phrases or imperatives that name the thing described.
void ExpectDoc(const std::string& doc, const std::string& where) {
  ASSERT_FALSE(doc.empty()) << where << " has no help text";
  EXPECT_NE(doc.back(), '.') << where << " must not end with a full stop: " << doc;
  EXPECT_EQ(doc.find('\n'), std::string::npos) << where << " must be one line: " << doc;
  for (const char* start : {"of", "for", "which", "where", "how", "and"}) {
    EXPECT_NE(FirstWord(doc), start) << where << " must name the value: " << doc;
  }
  ExpectNoBannedPhrase(doc, where);
}

void ExpectDescription(const std::string& text, const std::string& where) {
  ExpectImperative(text, where);
  ExpectNoBannedPhrase(text, where);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 110u) << where << " has a line of more than 110 columns: " << line;
  }
  const std::string last = text.substr(text.rfind('\n') + 1);
  EXPECT_TRUE(last.starts_with("  ") || last.ends_with('.'))
      << where << " must end with a full stop or an example: " << last;
}

void ExpectWords(const Command& command, const std::string& path) {
  ExpectImperative(command.summary, path);
  ExpectNoBannedPhrase(command.summary, path);
  EXPECT_GE(std::ranges::count(command.summary, ' '), 1) << path << " names no object";
  EXPECT_NE(command.summary.back(), '.') << path;
  EXPECT_EQ(command.summary.find('\n'), std::string::npos) << path;
  if (!command.description.empty()) ExpectDescription(command.description, path);
  for (const Flag& flag : command.flags) ExpectDoc(flag.doc, path + " --" + flag.name);
  for (const Argument& argument : command.arguments) {
    ExpectDoc(argument.doc, path + " " + argument.name);
  }
  for (const Command& child : command.commands) ExpectWords(child, path + " " + child.name);
}

TEST(CommandWordsTest, EveryHelpTextIsImperativeAndSelfContained) {
  ExpectWords(RootCommand(), "kubexms");
}

}  // namespace
}  // namespace kubexms
