#include "tests/api/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "kubexms/base/json/yaml.h"
#include "kubexms/base/random.h"
#include "tests/api/kubeconfig.h"

namespace kubexms::transcripts {
namespace {

constexpr auto kRequestTimeout = std::chrono::seconds(60);
constexpr auto kEventually = std::chrono::seconds(15);
constexpr auto kPause = std::chrono::milliseconds(20);
constexpr size_t kMaxShownBytes = 6000;

Result<Request> Substituted(const Request& request, const Variables& variables) {
  Request out{.method = request.method};
  ASSIGN_OR_RETURN(out.target, Substitute(request.target, variables));
  ASSIGN_OR_RETURN(out.body, Substitute(request.body, variables));
  for (const auto& [name, value] : request.headers) {
    ASSIGN_OR_RETURN(std::string substituted, Substitute(value, variables));
    out.headers.emplace_back(name, std::move(substituted));
  }
  return out;
}

bool Has(const HeaderLines& headers, std::string_view name) {
  return std::ranges::any_of(headers,
                             [&](const auto& h) { return EqualsIgnoreCase(h.first, name); });
}

// The documents of a response: one, or for a watch one per line.
Result<std::vector<Json>> ReadDocuments(const HttpReply& reply, bool events) {
  std::vector<Json> documents;
  std::string_view rest = reply.body;
  while (!rest.empty()) {
    const std::string_view text = events ? rest.substr(0, rest.find('\n')) : rest;
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    ASSIGN_OR_RETURN(Json document, ParseJsonOrYaml(text));
    documents.push_back(std::move(document));
  }
  return documents;
}

void MatchHeaders(const HeaderLines& expected, const HttpHeaders& actual, Matcher& matcher) {
  for (const auto& [name, pattern] : expected) {
    const auto value = actual.Get(name);
    const Json text(value.value_or(""));
    const Json wanted = pattern.empty() ? Json() : Json(pattern);
    matcher.Match(wanted, value ? &text : nullptr, name);
  }
}

void MatchDocuments(const Expectation& expected, const HttpReply& reply, bool events,
                    Matcher& matcher) {
  const Result<std::vector<Json>> documents = ReadDocuments(reply, events);
  if (!documents.ok())
    return matcher.AddMismatch("body", "a document", documents.error().message());
  const size_t wanted = expected.documents.size();
  if (documents->size() < wanted || (documents->size() > wanted && !expected.more_may_follow)) {
    matcher.AddMismatch("body", fmt::format("{} documents", wanted),
                        std::to_string(documents->size()));
  }
  for (size_t i = 0; i < std::min(wanted, documents->size()); ++i) {
    matcher.Match(expected.documents[i], &(*documents)[i],
                  events ? fmt::format("event {}", i + 1) : "");
  }
}

// The mismatches, one line each.
std::vector<std::string> Compare(const Expectation& expected, const HttpReply& reply, bool events,
                                 Variables& variables) {
  Matcher matcher(variables);
  if (reply.status != expected.status) {
    matcher.AddMismatch("status", std::to_string(expected.status), std::to_string(reply.status));
  }
  MatchHeaders(expected.headers, reply.headers, matcher);
  if (expected.text) {
    std::string_view text = reply.body;
    while (text.ends_with('\n')) text.remove_suffix(1);
    matcher.MatchText(*expected.text, text, "body");
  } else if (!expected.documents.empty() || events) {
    MatchDocuments(expected, reply, events && reply.status == 200, matcher);
  }
  return matcher.mismatches();
}

std::string DescribeReply(const HttpReply& reply) {
  std::string text = fmt::format("  the response was {}", reply.status);
  for (const auto [name, value] : reply.headers) text += fmt::format("\n    {}: {}", name, value);
  const auto document = ParseJson(reply.body);
  std::string body = document.ok() ? WriteJsonPretty(*document) : reply.body;
  if (body.size() > kMaxShownBytes) body.replace(kMaxShownBytes, body.npos, "\n…");
  return text + "\n" + body;
}

std::string DescribeFailure(const Request& sent, const std::vector<std::string>& mismatches,
                            const HttpReply& reply) {
  std::string text = fmt::format("{} {}\n", sent.method, sent.target);
  for (const auto& [name, value] : sent.headers) text += fmt::format("{}: {}\n", name, value);
  if (!sent.body.empty()) text += fmt::format("{}\n", sent.body);
  for (const std::string& mismatch : mismatches) text += fmt::format("  {}\n", mismatch);
  return text + DescribeReply(reply);
}

// "watch-from-version-3f9c21ab": the name shows which transcript created the namespace.
std::string NamespaceName(const std::string& name) {
  std::string label = name.substr(0, 40);
  std::ranges::replace_if(
      label, [](char c) { return c == '_' || c == '.' || c == '/'; }, '-');
  return fmt::format("{}-{}", label, SystemRandom().NameSuffix(8));
}

}  // namespace

Result<Runner> Runner::Create(const HttpClientOptions& administrator) {
  ASSIGN_OR_RETURN(auto client, HttpClient::Create(administrator));
  ASSIGN_OR_RETURN(auto anonymous, HttpClient::Create(WithoutCredentials(administrator)));
  return Runner(std::move(client), std::move(anonymous));
}

Result<HttpReply> Runner::Send(const Request& request) {
  HttpRequest message{.method = request.method, .target = request.target, .body = request.body};
  for (const auto& [name, value] : request.headers) {
    if (!value.empty()) message.headers.Add(name, value);
  }
  if (!request.body.empty() && !Has(request.headers, "Content-Type")) {
    message.headers.Add("Content-Type", "application/json");
  }
  HttpClient& client = Has(request.headers, "Authorization") ? *anonymous_ : *administrator_;
  return client.Do(std::move(message), {.timeout = kRequestTimeout});
}

// Also creates the ServiceAccount `default`, because pods require it and no controller may run.
Result<void> Runner::CreateNamespace(const std::string& name) {
  const auto create = [&](const std::string& target, const std::string& object) -> Result<void> {
    ASSIGN_OR_RETURN(const HttpReply reply,
                     Send({.method = "POST",
                           .target = target,
                           .body = fmt::format(R"({{"metadata": {{"name": "{}"}}}})", object)}));
    if (reply.status == 201 || reply.status == 409) return {};
    return Error::Internal(fmt::format("cannot create {} in {}: {}", object, target, reply.body));
  };
  RETURN_IF_ERROR(create("/api/v1/namespaces", name));
  return create(fmt::format("/api/v1/namespaces/{}/serviceaccounts", name), "default");
}

// The namespace controller, if one runs, deletes the remaining objects.
void Runner::DeleteNamespace(const std::string& name) {
  (void)Send({.method = "DELETE", .target = "/api/v1/namespaces/" + name});
}

Result<void> Runner::RunExchange(const Exchange& exchange, Variables& variables) {
  ASSIGN_OR_RETURN(const Request request, Substituted(exchange.request, variables));
  const auto deadline = std::chrono::steady_clock::now() + kEventually;
  for (;;) {
    ASSIGN_OR_RETURN(const HttpReply reply, Send(request));
    Variables matched_variables = variables;
    const auto mismatches =
        Compare(exchange.expectation, reply, request.IsWatch(), matched_variables);
    if (mismatches.empty()) {
      variables = std::move(matched_variables);
      return {};
    }
    if (!exchange.expectation.eventually || std::chrono::steady_clock::now() > deadline) {
      return Error::Internal(DescribeFailure(request, mismatches, reply));
    }
    std::this_thread::sleep_for(kPause);
  }
}

Result<void> Runner::Run(const Transcript& transcript, const std::string& name) {
  const std::string namespace_name = NamespaceName(name);
  RETURN_IF_ERROR(CreateNamespace(namespace_name));
  Variables variables{{"ns", Json(namespace_name)}};
  Result<void> result;
  for (const Exchange& exchange : transcript) {
    result = RunExchange(exchange, variables);
    if (result.ok()) continue;
    result = result.error().WithContext(fmt::format("line {}", exchange.line));
    break;
  }
  DeleteNamespace(namespace_name);
  return result;
}

}  // namespace kubexms::transcripts
