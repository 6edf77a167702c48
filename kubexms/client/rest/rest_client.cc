#include "kubexms/client/rest/rest_client.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <set>

#include "kubexms/api/status.h"
#include "kubexms/base/random.h"
#include "kubexms/base/token_bucket.h"
#include "kubexms/client/credentials/reloaded_files.h"
#include "kubexms/client/no_response.h"
#include "kubexms/client/rest/wire.h"
#include "kubexms/net/client/client.h"

namespace kubexms {
namespace {

using std::chrono::milliseconds;

// How much later than it should a list or a watch with a time-out may end.
constexpr std::chrono::seconds kServerMargin(30);
// Attempts to connect again, and the wait before the first of them; it doubles.
constexpr int kConnectionRetries = 3;
constexpr milliseconds kConnectionDelay(100);
constexpr int kTimedOut = 504;
constexpr size_t kMaxErrorBytes = size_t{1024} * 1024;
constexpr size_t kMaxWarnings = 1000;

const std::vector<double>& DurationBuckets() {
  static const std::vector<double> kBuckets = {.005, .025, .1, .25, .5, 1, 2, 4, 8, 15, 30, 60};
  return kBuckets;
}

Error Canceled(std::string_view what) {
  return {499, "Canceled", fmt::format("{}: the call was canceled", what)};
}

std::string_view MethodOf(Verb verb) {
  switch (verb) {
    case Verb::kCreate: return "POST";
    case Verb::kUpdate: return "PUT";
    case Verb::kPatch: return "PATCH";
    case Verb::kDelete:
    case Verb::kDeleteCollection: return "DELETE";
    default: return "GET";
  }
}

std::string_view AcceptOf(const ClientRequest& request) {
  if (!request.metadata_only) return "application/json";
  return request.verb == Verb::kList
             ? "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
             : "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
}

HttpRequest ToHttp(const ClientRequest& request) {
  HttpRequest http;
  http.method = MethodOf(request.verb);
  http.target = request.Path() + request.Query();
  http.headers.Add("Accept", AcceptOf(request));
  if (!request.body.empty()) {
    http.headers.Add("Content-Type", request.verb == Verb::kPatch
                                         ? PatchContentType(request.patch_type)
                                         : "application/json");
  }
  http.body = request.body;
  return http;
}

// A request on its way through the attempts.
struct Call {
  HttpRequest http;
  bool reads = true;
  bool streams = false;
  bool limited = true;
  std::optional<milliseconds> timeout;
  std::stop_token stop;
};

// The answer of one attempt: its body, or the stream of one that hangs.
struct Answer {
  int status = 0;
  HttpHeaders headers;
  std::string body;
  std::unique_ptr<HttpBodyReader> stream;
  std::shared_ptr<HttpClient> http;  // whose connection the stream is on

  bool good() const { return status >= 200 && status < 300; }
};

// The header has seconds or a date.
std::optional<std::chrono::seconds> RetryAfter(const HttpHeaders& headers, Clock::WallTime now) {
  const auto text = headers.Get("Retry-After");
  if (!text) return std::nullopt;
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (end == text->data() + text->size() && error == std::errc()) return BoundedRetryAfter(seconds);
  std::tm date{};
  if (::strptime(std::string(*text).c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date) == nullptr) {
    return std::nullopt;
  }
  return BoundedRetryAfter(::timegm(&date) - Clock::WallTime::clock::to_time_t(now));
}

Error ErrorOf(const Answer& answer, Clock::WallTime now) {
  Error error = ErrorFromStatus(answer.status, answer.body);
  const auto retry_after = RetryAfter(answer.headers, now);
  if (!retry_after || error.details().retry_after) return error;
  ErrorDetails details = error.details();
  details.retry_after = retry_after;
  return {error.code(), error.reason(), error.message(), std::move(details)};
}

// The text of a warning: 299 - "text".
std::string WarningText(std::string_view header) {
  std::string text;
  const size_t begin = header.find('"');
  if (begin == std::string_view::npos) return text;
  for (size_t i = begin + 1; i < header.size() && header[i] != '"'; ++i) {
    if (header[i] == '\\' && i + 1 < header.size()) ++i;
    text += header[i];
  }
  return text;
}

class RestWatch final : public ObjectWatch {
 public:
  RestWatch(Answer answer, const RestClientOptions& options, std::stop_token stop)
      : http_(std::move(answer.http)),
        stream_(std::move(answer.stream)),
        frames_(options.max_event_bytes, options.log),
        stop_(std::move(stop)) {}

  Result<std::optional<ObjectEvent>> Next() override {
    while (!over_ && !stop_.stop_requested()) {
      Result<std::optional<ObjectEvent>> event = frames_.Next();
      over_ = !event.ok();
      if (over_ || event->has_value()) return event;
      RETURN_IF_ERROR(Receive());
    }
    return std::optional<ObjectEvent>();
  }

 private:
  Result<void> Receive() {
    Result<std::string> bytes = stream_->Read();
    over_ = !bytes.ok() || bytes->empty();
    if (stop_.stop_requested()) return {};
    if (!bytes.ok()) return bytes.error();
    if (!over_) return frames_.Add(std::move(*bytes));
    if (frames_.AtBoundary()) return {};
    return Error::ServiceUnavailable("the server ended the watch in the middle of an event");
  }

  const std::shared_ptr<HttpClient> http_;
  const std::unique_ptr<HttpBodyReader> stream_;
  WatchFrames frames_;
  const std::stop_token stop_;
  bool over_ = false;
};

HttpHeaders ImpersonationHeaders(const Impersonation& impersonate) {
  HttpHeaders headers;
  if (impersonate.user.empty()) return headers;
  headers.Add("Impersonate-User", impersonate.user);
  if (!impersonate.uid.empty()) headers.Add("Impersonate-Uid", impersonate.uid);
  for (const std::string& group : impersonate.groups) headers.Add("Impersonate-Group", group);
  for (const auto& [key, values] : impersonate.extra) {
    for (const std::string& value : values) {
      headers.Add("Impersonate-Extra-" + PercentEncode(key), value);
    }
  }
  return headers;
}

std::shared_ptr<ReloadedFiles> MakeAuthorities(const RestClientOptions& options) {
  return std::make_shared<ReloadedFiles>(
      ReloadedFiles::Options{.paths = {options.config.ca_file},
                             .texts = {options.config.ca_pem},
                             .check = [](const ReloadedFiles::Texts& texts) -> Result<void> {
                               RETURN_IF_ERROR(InspectCertificate(texts.front()));
                               return {};
                             },
                             .log = options.log});
}

// The bounds of the attempts of one call.
class RetryBudget {
 public:
  RetryBudget(const RestClientOptions& options, const Clock& clock)
      : clock_(clock),
        deadline_(clock.MonotonicNow() + options.max_retry_time),
        left_(options.max_retries) {}

  // Whether there may be another attempt after `delay`.
  bool Take(std::chrono::nanoseconds delay) {
    return left_-- > 0 && clock_.MonotonicNow() + delay <= deadline_;
  }

  // The wait after a connection failed, or nothing when that was often enough.
  std::optional<std::chrono::nanoseconds> ConnectionDelay(Random& random) {
    if (connection_failures_ == kConnectionRetries) return std::nullopt;
    const milliseconds delay = kConnectionDelay * (1 << connection_failures_++);
    return std::chrono::duration_cast<std::chrono::nanoseconds>(delay * (0.5 + random.Fraction()));
  }

 private:
  const Clock& clock_;
  const Clock::MonotonicTime deadline_;
  int left_;
  int connection_failures_ = 0;
};

}  // namespace

class RestClient::Impl {
 public:
  Impl(RestClientOptions client_options, const Url& url)
      : options(std::move(client_options)),
        clock(options.clock == nullptr ? system_clock_ : *options.clock),
        host_(url.Authority()),
        prefix_(url.target.substr(0, url.target.find('?'))),
        credentials_(options.credentials != nullptr
                         ? options.credentials
                         : MakeCredentialSource(options.config.user, clock, options.log)),
        impersonation_(options.credentials != nullptr
                           ? HttpHeaders()
                           : ImpersonationHeaders(options.config.user.impersonate)),
        authorities_(MakeAuthorities(options)),
        limiter_({.qps = options.requests_per_second, .burst = std::max(options.burst, 1)},
                 &clock) {
    while (!prefix_.empty() && prefix_.back() == '/') prefix_.pop_back();
    if (options.user_agent.empty()) options.user_agent = "kubexms/" KUBEXMS_VERSION;
    if (options.metrics != nullptr) AddMetrics(*options.metrics);
  }

  // The response of the last attempt. No error is terminal: problems with the network, certificates
  // or plugins can be solved while the program runs.
  Result<Answer> Send(Call call);

 private:
  Result<Answer> SendUntilDone(const Call& call);
  void AddMetrics(MetricsRegistry& metrics);
  Result<Answer> SendOnce(const Call& call, const Credential& credential, bool& unsent);
  Result<Answer> Exchange(const Call& call, const Credential& credential, bool& unsent);
  Result<std::shared_ptr<HttpClient>> HttpFor(const Credential& credential) EXCLUDES(mutex_);
  Result<void> Throttle(const Call& call);
  std::optional<std::chrono::nanoseconds> DelayOf(const Call& call, const Result<Answer>& answer,
                                                  bool unsent, RetryBudget& budget);
  void LogWarnings(const HttpHeaders& headers) EXCLUDES(mutex_);

  SystemClock system_clock_;

 public:
  RestClientOptions options;
  Clock& clock;

 private:
  const std::string host_;
  std::string prefix_;  // of every path
  const std::shared_ptr<CredentialSource> credentials_;
  const HttpHeaders impersonation_;
  const std::shared_ptr<ReloadedFiles> authorities_;
  TokenBucket limiter_;
  SystemRandom random_;
  MetricFamily<Counter> requests_;
  MetricFamily<Histogram> durations_;
  MetricFamily<Histogram> limiter_durations_;

  Mutex mutex_;
  // Of the certificate that was presented last: connections are a certificate's.
  std::shared_ptr<HttpClient> http_ GUARDED_BY(mutex_);
  std::string http_certificate_ GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> warnings_ GUARDED_BY(mutex_);
};

void RestClient::Impl::AddMetrics(MetricsRegistry& metrics) {
  requests_ =
      metrics.AddCounter({.name = "rest_client_requests_total",
                          .help = "Number of HTTP requests by status code, method and host.",
                          .labels = {"code", "method", "host"}});
  durations_ = metrics.AddHistogram({.name = "rest_client_request_duration_seconds",
                                     .help = "Duration of HTTP requests by verb and host.",
                                     .labels = {"verb", "host"}},
                                    DurationBuckets());
  limiter_durations_ =
      metrics.AddHistogram({.name = "rest_client_rate_limiter_duration_seconds",
                            .help = "Time that HTTP requests waited for the client's rate limiter.",
                            .labels = {"verb", "host"}},
                           DurationBuckets());
}

Result<Answer> RestClient::Impl::Send(Call call) {
  call.http.target = prefix_ + call.http.target;
  Result<Answer> answer = SendUntilDone(call);
  if (answer.ok()) return answer;
  const Error& error = answer.error();
  return Error(error.code(), error.reason(), error.message(), error.details());
}

Result<Answer> RestClient::Impl::SendUntilDone(const Call& call) {
  RetryBudget budget(options, clock);
  bool renewed = false;
  for (;;) {
    RETURN_IF_ERROR(Throttle(call));
    ASSIGN_OR_RETURN(const Credential credential, credentials_->Get(call.stop));
    bool unsent = false;
    Result<Answer> answer = SendOnce(call, credential, unsent);
    if (answer.ok() && answer->status == 401 && !std::exchange(renewed, true) &&
        credentials_->Reject(credential)) {
      continue;
    }
    const auto delay = DelayOf(call, answer, unsent, budget);
    if (!delay || !budget.Take(*delay)) {
      if (!answer.ok()) return NoResponse(answer.error());
      if (!answer->good()) return ErrorOf(*answer, clock.Now());
      return answer;
    }
    if (!clock.SleepFor(*delay, call.stop)) return Canceled(call.http.path());
  }
}

Result<void> RestClient::Impl::Throttle(const Call& call) {
  if (!call.limited) return {};
  const Clock::MonotonicTime begin = clock.MonotonicNow();
  const bool free = limiter_.Wait(call.stop);
  limiter_durations_.With({call.http.method, host_}).Observe(clock.MonotonicNow() - begin);
  if (!free) return Canceled(call.http.path());
  return {};
}

// How long to wait before the next attempt; nothing when this one was the last.
std::optional<std::chrono::nanoseconds> RestClient::Impl::DelayOf(const Call& call,
                                                                  const Result<Answer>& answer,
                                                                  bool unsent,
                                                                  RetryBudget& budget) {
  if (answer.ok()) {
    // Only these two say that nothing was done.
    const bool refused = answer->status == 429 || answer->status == 503;
    const bool again = refused || (call.reads && answer->status >= 500);
    return again ? RetryAfter(answer->headers, clock.Now()) : std::nullopt;
  }
  // What took too long once would take as long again.
  const bool safe = unsent || (call.reads && answer.error().code() != kTimedOut);
  return safe && answer.error().IsTransient() ? budget.ConnectionDelay(random_) : std::nullopt;
}

Result<Answer> RestClient::Impl::SendOnce(const Call& call, const Credential& credential,
                                          bool& unsent) {
  const Clock::MonotonicTime begin = clock.MonotonicNow();
  Result<Answer> answer = Exchange(call, credential, unsent);
  const std::string code = answer.ok() ? std::to_string(answer->status) : "<error>";
  requests_.With({code, call.http.method, host_}).Increment();
  durations_.With({call.http.method, host_}).Observe(clock.MonotonicNow() - begin);
  if (answer.ok()) LogWarnings(answer->headers);
  return answer;
}

Result<Answer> RestClient::Impl::Exchange(const Call& call, const Credential& credential,
                                          bool& unsent) {
  ASSIGN_OR_RETURN(std::shared_ptr<HttpClient> http, HttpFor(credential));
  HttpRequest request = call.http;
  if (!credential.authorization.empty()) {
    request.headers.Set("Authorization", credential.authorization.Reveal());
  }
  for (const HttpHeaders::Field field : impersonation_) {
    request.headers.Add(field.name, field.value);
  }
  const HttpCallOptions call_options{.timeout = call.timeout, .stop = call.stop, .unsent = &unsent};
  if (!call.streams) {
    ASSIGN_OR_RETURN(HttpReply reply, http->Do(std::move(request), call_options));
    return Answer{
        .status = reply.status, .headers = std::move(reply.headers), .body = std::move(reply.body)};
  }
  ASSIGN_OR_RETURN(auto stream, http->Open(std::move(request), call_options));
  Answer answer{.status = stream->status(), .headers = stream->headers(), .http = std::move(http)};
  while (!answer.good() && answer.body.size() < kMaxErrorBytes) {
    ASSIGN_OR_RETURN(const std::string bytes, stream->Read());
    if (bytes.empty()) break;
    answer.body += bytes;
  }
  answer.stream = std::move(stream);
  return answer;
}

Result<std::shared_ptr<HttpClient>> RestClient::Impl::HttpFor(const Credential& credential) {
  const std::string_view certificate =
      credential.certificate ? std::string_view(credential.certificate->certificate_pem) : "";
  MutexLock lock(mutex_);
  if (http_ != nullptr && http_certificate_ == certificate) return http_;
  HttpClientOptions http_options{.server = options.config.server,
                                 .proxy = options.config.proxy,
                                 .server_name = options.config.server_name,
                                 .insecure_skip_verify = options.config.insecure_skip_verify,
                                 .user_agent = options.user_agent,
                                 .http2 = options.http2,
                                 .gzip = options.gzip};
  http_options.authorities = [files = authorities_] { return files->Get().front(); };
  http_options.client_certificate = [pair = credential.certificate] { return pair; };
  ASSIGN_OR_RETURN(http_, HttpClient::Create(std::move(http_options)));
  http_certificate_ = certificate;
  return http_;
}

void RestClient::Impl::LogWarnings(const HttpHeaders& headers) {
  for (const HttpHeaders::Field field : headers) {
    if (!EqualsIgnoreCase(field.name, "Warning")) continue;
    std::string text = WarningText(field.value);
    if (text.empty()) continue;
    {
      MutexLock lock(mutex_);
      if (warnings_.size() >= kMaxWarnings || !warnings_.insert(text).second) continue;
    }
    options.log.Warn("the server warns", {{"warning", text}, {"server", host_}});
  }
}

RestClient::RestClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RestClient::~RestClient() = default;

Result<std::unique_ptr<RestClient>> RestClient::Make(RestClientOptions options) {
  ASSIGN_OR_RETURN(const Url url, Url::Parse(options.config.server));
  auto impl = std::make_unique<Impl>(std::move(options), url);
  return std::unique_ptr<RestClient>(new RestClient(std::move(impl)));
}

Result<SharedBytes> RestClient::Do(const ClientRequest& request) {
  RETURN_IF_ERROR(request.Check());
  ASSIGN_OR_RETURN(Answer answer, impl_->Send({.http = ToHttp(request),
                                               .reads = !IsWrite(request.verb),
                                               .timeout = impl_->options.timeout,
                                               .stop = request.stop}));
  return SharedBytes(std::move(answer.body));
}

Result<ObjectPage> RestClient::ListPage(const ClientRequest& request) {
  Call call{.http = ToHttp(request), .timeout = impl_->options.timeout, .stop = request.stop};
  if (request.timeout) call.timeout = *request.timeout + kServerMargin;
  ASSIGN_OR_RETURN(Answer answer, impl_->Send(std::move(call)));
  return ParseObjectPage(std::move(answer.body));
}

Result<std::unique_ptr<ObjectWatch>> RestClient::OpenWatch(const ClientRequest& request) {
  Call call{.http = ToHttp(request), .streams = true, .stop = request.stop};
  if (request.timeout) call.timeout = *request.timeout + kServerMargin;
  ASSIGN_OR_RETURN(Answer answer, impl_->Send(std::move(call)));
  return std::unique_ptr<ObjectWatch>(
      std::make_unique<RestWatch>(std::move(answer), impl_->options, request.stop));
}

Result<SharedBytes> RestClient::GetPath(std::string_view path, std::stop_token stop) {
  Call call{.limited = false, .timeout = impl_->options.timeout, .stop = std::move(stop)};
  call.http.target = path;
  call.http.headers.Add("Accept", "application/json, */*");
  ASSIGN_OR_RETURN(Answer answer, impl_->Send(std::move(call)));
  return SharedBytes(std::move(answer.body));
}

}  // namespace kubexms
