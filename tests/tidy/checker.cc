#include "tests/tidy/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tests/tidy/text.h"

namespace kubexms::tidy {
namespace {

constexpr size_t kColumns = 100;

// Other people's headers that only the library that wraps them may include in a header.
struct Wrapped {
  std::string_view include;  // the beginning of the path
  std::set<std::string_view> libraries;
};

const std::vector<Wrapped>& WrappedHeaders() {
  static const std::vector<Wrapped> kWrapped = {
      {"boost/asio", {"net"}},
      {"boost/beast", {"net"}},
      {"nghttp2/", {"net"}},
      {"openssl/", {"net"}},
      {"rocksdb/", {"store"}},
      {"grpc", {"store", "node"}},
      {"google/protobuf/", {"store", "node"}},
      {"libssh/", {"automation"}},
      {"CLI/", {}},
      {"yaml.h", {}},
      {"jemalloc", {}},
      {"nlohmann/", {}},
  };
  return kWrapped;
}

// What tests of a library may include besides what the library may: those are tested against the
// real server, and what runs in it.
bool IsTestedWith(std::string_view library, std::string_view other) {
  static const std::map<std::string_view, std::set<std::string_view>> kTestedWith = {
      {"client", {"apiserver"}},
      {"controller", {"apiserver"}},
      {"builtin", {"apiserver"}},
      {"platform", {"apiserver", "builtin"}}};
  const auto found = kTestedWith.find(library);
  return found != kTestedWith.end() && found->second.contains(other);
}

// Where writing to the terminal is the job.
const std::set<std::string_view>& MayPrint() {
  static const std::set<std::string_view> kPaths = {"kubexms/base/check.cc", "kubexms/cli/main.cc",
                                                    "kubexms/controller/manager/program.cc"};
  return kPaths;
}

// A failed check in other people's code is the one thing that throws (base/check_recovery.h).
const std::set<std::string_view>& MayThrow() {
  static const std::set<std::string_view> kPaths = {"kubexms/base/check.cc"};
  return kPaths;
}

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

bool IsHeader(std::string_view path) { return EndsWith(path, ".h"); }
bool IsSource(std::string_view path) { return EndsWith(path, ".cc"); }
bool IsTest(std::string_view path) { return EndsWith(path, "_test.cc"); }
bool IsTestHeader(std::string_view path) { return EndsWith(path, "_test.h"); }
bool IsCode(std::string_view path) { return IsHeader(path) || IsSource(path); }

bool IsWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Characters as people count them: bytes of UTF-8 that begin one.
size_t Width(std::string_view line) {
  return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool HasWord(std::string_view line, std::string_view word) {
  for (size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const bool begins = at == 0 || !IsWordCharacter(line[at - 1]);
    const size_t end = at + word.size();
    if (begins && (end == line.size() || !IsWordCharacter(line[end]))) return true;
  }
  return false;
}

class FileChecker {
 public:
  explicit FileChecker(const File& file)
      : file_(file),
        library_(LibraryOf(file.path)),
        lines_(Lines(file.text)),
        stripped_(StripCommentsAndStrings(file.text)),
        code_lines_(Lines(stripped_.code)) {}

  Complaints Run() {
    CheckText();
    if (IsCode(file_.path)) CheckCode();
    if (IsHeader(file_.path)) CheckHeader();
    if (!library_.empty() && IsCode(file_.path)) CheckLibraryCode();
    return std::move(complaints_);
  }

 private:
  void Complain(size_t line, std::string what) {
    complaints_.push_back({file_.path, static_cast<int>(line), std::move(what)});
  }

  // For every text file.
  void CheckText() {
    for (size_t i = 0; i < lines_.size(); ++i) {
      const std::string_view line = lines_[i];
      if (line.find('\t') != std::string_view::npos) Complain(i + 1, "has a tab");
      if (!line.empty() && (line.back() == ' ' || line.back() == '\r')) {
        Complain(i + 1, "ends in white space");
      }
      // Written in two pieces so that this file keeps the rule itself.
      if (HasWord(line,
                  "TO"
                  "DO") ||
          HasWord(line,
                  "FIX"
                  "ME")) {
        Complain(i + 1, "says that something is to be done: do it, or leave it out");
      }
    }
    if (!file_.text.empty() && file_.text.back() != '\n')
      Complain(0, "does not end in a line break");
  }

  void CheckCode() {
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (Width(lines_[i]) > kColumns && !IsUnbreakable(i)) {
        Complain(i + 1, fmt::format("is longer than {} columns", kColumns));
      }
    }
    const std::string_view name = FileName(file_.path);
    const bool good = std::all_of(name.begin(), name.end(), [](char c) {
      return std::islower(static_cast<unsigned char>(c)) ||
             std::isdigit(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    });
    if (!good) Complain(0, "is not named like_this.cc");
  }

  bool IsUnbreakable(size_t line) const {
    return !IncludedPath(lines_[line]).empty() ||
           stripped_.raw_string_lines.contains(static_cast<int>(line) + 1);
  }

  void CheckHeader() {
    if (lines_.empty() || lines_[0] != "#pragma once")
      Complain(1, "does not begin with #pragma once");
    for (size_t i = 0; i < code_lines_.size(); ++i) {
      if (HasWord(code_lines_[i], "using namespace"))
        Complain(i + 1, "has using namespace in a header");
    }
  }

  void CheckLibraryCode() {
    const auto allowed = Directions().find(library_);
    if (allowed == Directions().end()) {
      Complain(0, fmt::format("is in \"{}\", which is not in the table of libraries", library_));
      return;
    }
    for (size_t i = 0; i < lines_.size(); ++i) {
      const std::string_view path = IncludedPath(lines_[i]);
      if (path.empty()) continue;
      CheckDirection(i + 1, path, allowed->second);
      if (IsHeader(file_.path)) CheckWrapped(i + 1, path);
    }
    if (IsTest(file_.path)) return;
    for (size_t i = 0; i < code_lines_.size(); ++i) CheckLibraryLine(i + 1, code_lines_[i]);
  }

  void CheckDirection(size_t line, std::string_view path, const std::set<std::string>& allowed) {
    const std::string_view other = LibraryOf(path);
    if (other.empty() || other == library_ || allowed.contains(std::string(other))) return;
    const bool is_test = IsTest(file_.path) || IsTestHeader(file_.path);
    if (is_test && IsTestedWith(library_, other)) return;
    Complain(line, fmt::format("{} may not include {}", library_, other));
  }

  void CheckWrapped(size_t line, std::string_view path) {
    for (const Wrapped& wrapped : WrappedHeaders()) {
      if (!StartsWith(path, wrapped.include) || wrapped.libraries.contains(library_)) continue;
      Complain(line, fmt::format("<{}> belongs into a .cc of the library that wraps it", path));
    }
  }

  void CheckLibraryLine(size_t line, std::string_view code) {
    if (HasWord(code, "throw") && !MayThrow().contains(file_.path)) {
      Complain(line, "throws: return an Error");
    }
    if (MayPrint().contains(file_.path)) return;
    for (const std::string_view name : {"std::cout", "std::cerr", "printf", "fprintf", "puts"}) {
      if (HasWord(code, name))
        Complain(line, fmt::format("uses {}: log, or return the text", name));
    }
  }

  const File& file_;
  const std::string_view library_;
  const std::vector<std::string_view> lines_;
  const StrippedText stripped_;
  const std::vector<std::string_view> code_lines_;
  Complaints complaints_;
};

// Removes comments and literals in one pass.
class Stripper {
 public:
  explicit Stripper(std::string_view text) : text_(text) {}

  StrippedText Run() {
    while (at_ < text_.size()) {
      if (Sees("//"))
        SkipTo(text_.find('\n', at_));
      else if (Sees("/*"))
        SkipPast("*/", 2);
      else if (Sees("R\""))
        SkipRawString();
      else if (text_[at_] == '"')
        SkipLiteral('"');
      else if (text_[at_] == '\'' && !AfterDigit())
        SkipLiteral('\'');
      else
        Keep();
    }
    return std::move(out_);
  }

 private:
  bool Sees(std::string_view what) const { return StartsWith(text_.substr(at_), what); }

  // 1'000 is a number.
  bool AfterDigit() const {
    return at_ > 0 && std::isxdigit(static_cast<unsigned char>(text_[at_ - 1]));
  }

  void SkipTo(size_t end) {
    end = std::min(end, text_.size());
    for (; at_ < end; ++at_) {
      if (text_[at_] == '\n') EndLine();
    }
  }

  void Keep() {
    if (text_[at_] == '\n')
      EndLine();
    else
      out_.code += text_[at_];
    ++at_;
  }

  void EndLine() {
    out_.code += '\n';
    ++line_;
  }

  void SkipPast(std::string_view end, size_t opening) {
    const size_t found = text_.find(end, at_ + opening);
    SkipTo(found == std::string_view::npos ? text_.size() : found + end.size());
  }

  void SkipRawString() {
    const size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return SkipTo(text_.size());
    const std::string end = fmt::format("){}\"", text_.substr(at_ + 2, open - at_ - 2));
    const int first_line = line_;
    SkipPast(end, open - at_);
    for (int line = first_line; line <= line_; ++line) out_.raw_string_lines.insert(line);
  }

  void SkipLiteral(char quote) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    SkipTo(end + 1);
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  StrippedText out_;
};

// "kubexms/net/http/http_test.cc" → "kubexms/net/http/http.h".
std::string OwnHeader(std::string_view source) {
  std::string_view stem = source.substr(0, source.size() - std::string_view(".cc").size());
  if (EndsWith(stem, "_test")) stem.remove_suffix(std::string_view("_test").size());
  return std::string(stem) + ".h";
}

std::string_view FirstInclude(std::string_view text) {
  for (const std::string_view line : Lines(text)) {
    const std::string_view path = IncludedPath(line);
    if (!path.empty()) return path;
  }
  return {};
}

// The header that the readme links for a library, "kubexms/net/http/http.h"; empty when there is
// none.
std::string LinkedHeader(std::string_view readme, std::string_view library) {
  const size_t begin = readme.find(fmt::format("]({}/", library));
  const size_t end = readme.find(')', begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  return fmt::format("kubexms/{}", readme.substr(begin + 2, end - begin - 2));
}

bool OpensWithComment(std::string_view header) {
  const std::vector<std::string_view> lines = Lines(header);
  return lines.size() > 2 && lines[1].empty() && StartsWith(lines[2], "// ");
}

}  // namespace

const DirectionTable& Directions() {
  static const DirectionTable kDirections = {
      {"base", {}},
      {"net", {"base"}},
      {"api", {"base"}},
      {"store", {"base"}},
      {"client", {"base", "net", "api"}},
      {"controller", {"base", "net", "api", "client"}},
      {"apiserver", {"base", "net", "api", "store", "client"}},
      {"builtin", {"base", "api", "client", "controller"}},
      {"platform", {"base", "api", "client", "controller"}},
      {"automation", {"base"}},
      {"cluster", {"base", "net", "api", "client", "controller", "automation"}},
      {"node", {"base", "net", "api", "client", "controller"}},
      {"cli",
       {"base", "net", "api", "store", "client", "controller", "apiserver", "builtin", "platform",
        "automation", "cluster", "node"}},
  };
  return kDirections;
}

StrippedText StripCommentsAndStrings(std::string_view text) { return Stripper(text).Run(); }

Complaints CheckFile(const File& file) { return FileChecker(file).Run(); }

Complaints CheckOwnHeaders(const std::vector<File>& files) {
  std::set<std::string, std::less<>> paths;
  for (const File& file : files) paths.insert(file.path);
  Complaints complaints;
  for (const File& file : files) {
    if (!IsSource(file.path)) continue;
    const std::string own = OwnHeader(file.path);
    if (paths.contains(own) && FirstInclude(file.text) != own) {
      complaints.push_back({file.path, 0, fmt::format("does not include \"{}\" first", own)});
    }
  }
  return complaints;
}

Complaints CheckReadme(const std::vector<File>& files, const File& readme) {
  std::map<std::string, const File*, std::less<>> by_path;
  std::set<std::string, std::less<>> libraries;
  for (const File& file : files) {
    by_path[file.path] = &file;
    if (!LibraryOf(file.path).empty()) libraries.emplace(LibraryOf(file.path));
  }
  Complaints complaints;
  for (const std::string& library : libraries) {
    const std::string header = LinkedHeader(readme.text, library);
    const auto found = by_path.find(header);
    if (header.empty()) {
      complaints.push_back(
          {readme.path, 0, fmt::format("has no line for {} with a header to start at", library)});
    } else if (found == by_path.end()) {
      complaints.push_back({readme.path, 0, fmt::format("names {}, which is not there", header)});
    } else if (!OpensWithComment(found->second->text)) {
      complaints.push_back({header, 3, "does not open with a comment that says why it exists"});
    }
  }
  return complaints;
}

}  // namespace kubexms::tidy
