#include "tests/api/transcript.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace kubexms::transcripts {
namespace {

constexpr std::string_view kResponseFollows = "---";
constexpr std::string_view kMoreMayFollow = "...";

struct Line {
  int number;
  std::string_view text;
};

using Lines = std::vector<Line>;

// The lines of a text without comments and trailing spaces.
Lines SplitLines(std::string_view text) {
  Lines lines;
  for (int number = 1; !text.empty(); ++number) {
    const size_t size = text.find('\n');
    std::string_view line = text.substr(0, size);
    text.remove_prefix(size == text.npos ? text.size() : size + 1);
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    if (!line.starts_with('#')) lines.push_back({number, line});
  }
  return lines;
}

Error ParseError(int line, std::string_view why) {
  return Error::BadRequest(fmt::format("line {}: {}", line, why));
}

// Reads the lines of one file in order.
class Reader {
 public:
  explicit Reader(const Lines& lines) : lines_(lines) {}

  bool done() const { return next_ == lines_.size(); }
  int line() const { return done() ? (lines_.empty() ? 1 : lines_.back().number) : Peek().number; }
  std::string_view Next() { return lines_[next_++].text; }

  void SkipEmpty() {
    while (!done() && Peek().text.empty()) ++next_;
  }

  Result<Request> ReadRequest();
  Result<Expectation> ReadExpectation();

 private:
  const Line& Peek() const { return lines_[next_]; }
  bool AtRequest() const { return RE2::PartialMatch(Peek().text, "^[A-Z]+ [/$]"); }
  // An object, or a variable with an object.
  bool AtDocument() const { return Peek().text.starts_with('{') || Peek().text.starts_with("\"$"); }
  HeaderLines ReadHeaders();
  Result<void> ReadDocuments(Expectation& expected);

  const Lines& lines_;
  size_t next_ = 0;
};

HeaderLines Reader::ReadHeaders() {
  HeaderLines headers;
  std::string name;
  std::string value;
  while (!done() && RE2::FullMatch(Peek().text, "([A-Za-z0-9-]+):\\s*(.*)", &name, &value)) {
    headers.emplace_back(name, value);
    ++next_;
  }
  return headers;
}

Result<Request> Reader::ReadRequest() {
  if (!AtRequest())
    return ParseError(line(), "a request such as \"GET /api/v1/pods\" is expected here");
  const int first = line();
  const std::string_view head = Next();
  const size_t space = head.find(' ');
  Request request{.method = std::string(head.substr(0, space)),
                  .target = std::string(head.substr(space + 1))};
  request.headers = ReadHeaders();
  SkipEmpty();
  while (!done() && Peek().text != kResponseFollows) {
    if (AtRequest())
      return ParseError(first, "the request has no expected response: \"---\" is missing");
    request.body.append(Next()).push_back('\n');
  }
  if (done()) return ParseError(first, "the request has no expected response: \"---\" is missing");
  if (!request.body.empty()) request.body.pop_back();
  Next();
  return request;
}

Result<void> Reader::ReadDocuments(Expectation& expected) {
  SkipEmpty();
  while (!done() && AtDocument()) {
    const int first = line();
    std::string text;
    do {
      text.append(Next()).push_back('\n');
    } while (!done() && !AtDocument() && Peek().text != kMoreMayFollow && !AtRequest());
    auto document = ParseJson(text);
    if (!document.ok()) return ParseError(first, "in this pattern: " + document.error().message());
    expected.documents.push_back(*std::move(document));
  }
  if (!done() && Peek().text == kMoreMayFollow) {
    Next();
    expected.more_may_follow = true;
  }
  return {};
}

Result<Expectation> Reader::ReadExpectation() {
  Expectation expected;
  std::string eventually;
  if (done() ||
      !RE2::FullMatch(Peek().text, "(\\d{3})( eventually)?", &expected.status, &eventually)) {
    return ParseError(line(), "a status such as \"200\" or \"200 eventually\" is expected here");
  }
  Next();
  expected.eventually = !eventually.empty();
  expected.headers = ReadHeaders();
  RETURN_IF_ERROR(ReadDocuments(expected));
  SkipEmpty();
  if (done() || AtRequest()) return expected;
  if (!expected.documents.empty())
    return ParseError(line(), "unexpected line after the body pattern");
  expected.text = Next();
  return expected;
}

}  // namespace

bool Request::IsWatch() const { return RE2::PartialMatch(target, "[?&]watch=(1|true)(&|$)"); }

Result<Transcript> ParseTranscript(std::string_view text) {
  const Lines lines = SplitLines(text);
  Reader reader(lines);
  Transcript transcript;
  for (reader.SkipEmpty(); !reader.done(); reader.SkipEmpty()) {
    Exchange exchange{.line = reader.line()};
    ASSIGN_OR_RETURN(exchange.request, reader.ReadRequest());
    ASSIGN_OR_RETURN(exchange.expectation, reader.ReadExpectation());
    if (!exchange.request.IsWatch() && exchange.expectation.documents.size() > 1) {
      return ParseError(exchange.line, "only the response to a watch may have several documents");
    }
    transcript.push_back(std::move(exchange));
  }
  if (transcript.empty()) return ParseError(1, "the file contains no request");
  return transcript;
}

}  // namespace kubexms::transcripts
