#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/api/values/time.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/json/json.h"
#include "kubexms/cli/commands.h"
#include "kubexms/cli/commands/request_log.h"
#include "kubexms/cli/output.h"
#include "kubexms/platform/names.h"

namespace kubexms {
namespace {

struct Filter {
  std::string user;  // empty: all
  Time since;        // zero: all
};

std::string_view TextOf(const Json& record, std::string_view key) {
  const Json* value = FindMember(record, key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                : std::string_view();
}

// "alice" for the service account of that user.
std::string RequesterOf(const Json& record) {
  const Json* requester = FindMember(record, "requestedBy");
  if (requester == nullptr) return "unknown";
  if (const std::string_view claimed = TextOf(*requester, "claimed"); !claimed.empty()) {
    return fmt::format("unknown (claimed: {})", claimed);
  }
  const std::string_view user = TextOf(*requester, "user");
  const std::string accounts = platform::AccountUser("");
  if (user.starts_with(accounts)) return std::string(user.substr(accounts.size()));
  return user.empty() ? "unknown" : std::string(user);
}

// The user that a request is about.
std::string_view SubjectOf(const Json& record) {
  const Json* spec = FindMember(record, "spec");
  return spec == nullptr ? std::string_view() : TextOf(*spec, "user");
}

bool Matches(const Json& record, const Filter& filter) {
  const bool by_or_about =
      filter.user.empty() || RequesterOf(record) == filter.user || SubjectOf(record) == filter.user;
  const Result<Time> completed = Time::Parse(TextOf(record, "completed"));
  return by_or_about && (!completed.ok() || *completed >= filter.since);
}

// "2026-01-02T15:04:05Z", or a duration before now: "90m".
Result<Time> ReadSince(const std::string& text) {
  if (text.empty()) return Time();
  if (const Result<Duration> ago = Duration::Parse(text); ago.ok()) {
    const SystemClock clock;
    return Time(std::chrono::floor<std::chrono::seconds>(clock.Now() - ago->value()));
  }
  Result<Time> time = Time::Parse(text);
  if (time.ok()) return time;
  return Error::BadRequest(fmt::format(
      "--since: \"{}\" is neither a time (2026-01-02T15:04:05Z) nor a duration (24h)", text));
}

Result<std::vector<Json>> ReadRecords(const std::string& path, const Filter& filter) {
  std::ifstream file(path);
  if (!file) {
    return Error::BadRequest(
        fmt::format("cannot read {}; set --data-dir of the server, or --file", path));
  }
  std::vector<Json> records;
  for (std::string line; std::getline(file, line);) {
    const Result<Json> record = ParseJson(line);
    // The server writes a line that a crash has truncated again.
    if (record.ok() && Matches(*record, filter)) records.push_back(*record);
  }
  return records;
}

using Row = std::array<std::string, 7>;

Row RowOf(const Json& record) {
  const Json* spec = FindMember(record, "spec");
  const auto of_spec = [&](std::string_view key) {
    return spec == nullptr ? std::string() : std::string(TextOf(*spec, key));
  };
  std::string action = of_spec("action");
  if (action.empty()) action = TextOf(record, "kind");
  if (const std::string role = of_spec("role"); !role.empty()) action += " " + role;
  return {std::string(TextOf(record, "completed")),
          RequesterOf(record),
          action,
          of_spec("user"),
          of_spec("namespace"),
          std::string(TextOf(record, "result")),
          std::string(TextOf(record, "message"))};
}

void PrintTable(const std::vector<Json>& records, std::ostream& out) {
  std::vector<Row> rows = {
      {"COMPLETED", "REQUESTED BY", "ACTION", "USER", "NAMESPACE", "RESULT", "MESSAGE"}};
  for (const Json& record : records) rows.push_back(RowOf(record));
  Row::size_type column = 0;
  std::array<size_t, std::tuple_size_v<Row>> widths{};
  for (const Row& row : rows) {
    for (column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  for (const Row& row : rows) {
    std::string line;
    for (column = 0; column + 1 < row.size(); ++column) {
      line += fmt::format("{:<{}}   ", row[column], widths[column]);
    }
    out << line << row.back() << "\n";
  }
}

Result<ExitCode> ShowAudit(const Invocation& call) {
  Filter filter{.user = call.Value("user")};
  ASSIGN_OR_RETURN(filter.since, ReadSince(call.Value("since")));
  const std::string path =
      call.Given("file") ? call.Value("file") : RequestLogIn(call.Value("data-dir"));
  ASSIGN_OR_RETURN(const std::vector<Json> records, ReadRecords(path, filter));
  if (call.Given("output")) {
    call.out() << FormatObject(JsonArray(records.begin(), records.end()), call.Value("output"));
  } else if (records.empty()) {
    call.err() << "No matching audit records.\n";
  } else {
    PrintTable(records, call.out());
  }
  return ExitCode::kDone;
}

}  // namespace

Command AuditCommand() {
  return {
      .name = "audit",
      .summary = "Show the audit records of the platform's requests",
      .description =
          "Show finished Operationrequests and Deleterequests, oldest first, including deleted\n"
          "ones. The requester is the user that the server has authenticated.",
      .flags = {{.name = "user", .value = "NAME", .doc = "only requests by or about this user"},
                {.name = "since",
                 .value = "TIME",
                 .doc = "only requests finished since a time, or within a duration such as 24h"},
                {.name = "data-dir",
                 .value = "DIR",
                 .doc = "data directory of the server",
                 .fallback = "/var/lib/kubexms"},
                {.name = "file",
                 .value = "FILE",
                 .doc = "file of audit records: --request-log of kubexms manager"},
                OutputFlag()},
      .run = ShowAudit,
  };
}

}  // namespace kubexms
