#include "kubexms/controller/manager/manager_endpoints.h"

#include <fmt/format.h>

#include "kubexms/base/threads/threads.h"

namespace kubexms {
namespace {

HttpResponse Plain(int status, std::string text) {
  return HttpResponse::Text(status, "text/plain; charset=utf-8", std::move(text));
}

HttpResponse Answer(const Result<void>& state) {
  return state.ok() ? Plain(200, "ok") : Plain(503, state.error().message());
}

HttpResponse AnswerReady(const Result<void>& state, const std::string& leader_election_status) {
  if (!state.ok() || leader_election_status.empty()) return Answer(state);
  return Plain(200, "ok\n" + leader_election_status + "\n");
}

bool IsLocal(const HttpRequest& request) {
  return request.peer != nullptr &&
         (request.peer->address.starts_with("127.") || request.peer->address.starts_with("[::1]"));
}

HttpResponse Threads(const HttpRequest& request) {
  if (!IsLocal(request)) return Plain(403, "/debug/threads is served to this machine only\n");
  const MemoryUse memory = ReadMemoryUse();
  JsonArray threads;
  for (const ThreadUse& use : ListThreads()) {
    threads.push_back(JsonObject{{"id", use.id},
                                 {"name", use.name},
                                 {"state", std::string(1, use.state)},
                                 {"cpuSeconds", std::chrono::duration<double>(use.cpu).count()}});
  }
  const JsonObject all{{"memory", JsonObject{{"residentBytes", memory.resident_bytes},
                                             {"peakResidentBytes", memory.peak_resident_bytes}}},
                       {"threads", std::move(threads)}};
  return HttpResponse::Text(200, "application/json", WriteJson(all) + "\n");
}

}  // namespace

HttpResponse ManagerEndpoints::Handle(HttpRequest request) {
  const std::string_view path = request.path();
  if (path == "/debug/log-level" && request.method == "PUT") return SetLogLevel(request);
  if (request.method != "GET" && request.method != "HEAD") {
    return Plain(405, fmt::format("{} is not supported here\n", request.method));
  }
  if (path == "/healthz" || path == "/livez") return Answer(sources_.health());
  if (path == "/readyz") {
    return AnswerReady(sources_.readiness(),
                       sources_.leader_election_status ? sources_.leader_election_status() : "");
  }
  if (path == "/metrics") {
    return HttpResponse::Text(200, MetricsRegistry::kContentType, sources_.metrics.Collect());
  }
  if (path == "/debug/reconciles") {
    if (!IsLocal(request)) return Plain(403, "/debug/reconciles is served to this machine only\n");
    return HttpResponse::Text(200, "application/json", WriteJson(sources_.reconciles()) + "\n");
  }
  if (path == "/debug/threads") return Threads(request);
  return Plain(404,
               "not found; the paths are /healthz, /readyz, /metrics, /debug/reconciles and "
               "/debug/threads\n");
}

HttpResponse ManagerEndpoints::SetLogLevel(const HttpRequest& request) const {
  if (!IsLocal(request)) return Plain(403, "log levels can be set from this machine only\n");
  const size_t equals = request.body.find('=');
  const std::string name = equals == std::string::npos ? "" : request.body.substr(0, equals);
  const std::string_view wanted =
      std::string_view(request.body).substr(equals == std::string::npos ? 0 : equals + 1);
  const std::optional<LogLevel> level = ParseLogLevel(wanted);
  if (!level) {
    return Plain(400,
                 "the body must be LEVEL or LOGGER=LEVEL, where LEVEL is debug, info, warn or "
                 "error\n");
  }
  (name.empty() ? sources_.log : sources_.log.Named(name)).SetLevel(*level);
  return Plain(200, "ok");
}

}  // namespace kubexms
