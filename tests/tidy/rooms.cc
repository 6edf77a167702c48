#include "tests/tidy/rooms.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "tests/tidy/text.h"

namespace kubexms::tidy {
namespace {

constexpr std::string_view kNeeded = "# needed by the headers above";

struct Place {
  std::string library;
  std::string room;
};

// "kubexms/net/http/http.h" is in the room "http" of the library "net".
Place PlaceOf(std::string_view path) {
  const std::string_view library = LibraryOf(path);
  if (library.empty()) return {};
  const size_t begin = std::string_view("kubexms/").size() + library.size() + 1;
  const size_t end = path.rfind('/');
  const std::string_view room = end > begin ? path.substr(begin, end - begin) : std::string_view();
  return {std::string(library), std::string(room)};
}

bool IsOfTests(std::string_view path) {
  return path.ends_with("_test.cc") || path.ends_with("_test.h");
}

// Its position in the library's order of rooms; -1 when the room is not in the table.
int LevelOf(const Place& place) {
  const auto rooms = Rooms().find(place.library);
  if (rooms == Rooms().end()) return place.room.empty() ? 0 : -1;
  const auto found = std::ranges::find(rooms->second, place.room);
  return found == rooms->second.end() ? -1 : static_cast<int>(found - rooms->second.begin());
}

std::vector<std::string> IncludesOf(const File& file) {
  std::vector<std::string> paths;
  for (std::string_view line : Lines(file.text)) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::string_view path = IncludedPath(line);
    if (path.starts_with("kubexms/")) paths.emplace_back(path);
  }
  return paths;
}

struct HeaderList {
  std::set<std::string> offered;
  std::set<std::string> needed;
};

HeaderList ReadHeaderList(const File& list) {
  HeaderList headers;
  std::set<std::string>* part = &headers.offered;
  for (const std::string_view line : Lines(list.text)) {
    if (line == kNeeded) part = &headers.needed;
    if (!line.empty() && !line.starts_with("#")) part->emplace(line);
  }
  return headers;
}

// What the offered headers include, directly or not, and what is not offered itself.
std::set<std::string> NeededBy(const std::set<std::string>& offered,
                               const std::map<std::string, const File*>& by_path) {
  std::set<std::string> needed;
  std::vector<std::string> open(offered.begin(), offered.end());
  while (!open.empty()) {
    const auto found = by_path.find(open.back());
    open.pop_back();
    if (found == by_path.end()) continue;
    for (const std::string& path : IncludesOf(*found->second)) {
      if (!offered.contains(path) && needed.insert(path).second) open.push_back(path);
    }
  }
  return needed;
}

}  // namespace

const RoomTable& Rooms() {
  static const RoomTable kRooms = {
      {"base", {"", "text", "threads", "json", "monitoring"}},
      {"net", {"http", "tls", "io", "client", "server"}},
      {"api",
       {"values", "schema", "", "patch", "crd", "kinds/core_v1", "kinds", "builtin", "protobuf"}},
      {"client", {"", "credentials", "rest", "testing"}},
      {"controller",
       {"queue", "support", "events", "informers", "", "leader_election", "requests", "manager",
        "testing"}},
      {"apiserver",
       {"strategies", "table/printers", "resources", "request", "services", "audit",
        "authentication", "decoding", "discovery", "read", "authorization", "table", "watch",
        "admission", "write", "custom_resources", "handlers", ""}},
      {"builtin",
       {"shared", "namespaces", "nodes", "volumes", "roles", "workloads", "endpoints",
        "garbage_collection", "scheduler", "simulated_nodes", "disruption", "workloads/replica_set",
        "workloads/deployment", "workloads/stateful_set", "workloads/daemon_set", "workloads/job",
        "workloads/cron_job", ""}},
      {"automation", {"hosts", "journal", "steps", "engine", "lab"}},
      {"cluster",
       {"config", "artifact", "modules", "modules/os", "modules/etcd", "modules/binaries", "",
        "modules/containerd", "modules/ha", "modules/preflight"}},
      {"cli", {"", "commands"}},
  };
  return kRooms;
}

Complaints CheckRooms(const std::vector<File>& files) {
  Complaints complaints;
  for (const File& file : files) {
    const Place place = PlaceOf(file.path);
    if (place.library.empty()) continue;
    const int level = LevelOf(place);
    if (level < 0) {
      complaints.push_back(
          {file.path, 0, fmt::format("is in a room that the table of {} lacks", place.library)});
      continue;
    }
    if (IsOfTests(file.path)) continue;
    for (const std::string& path : IncludesOf(file)) {
      const Place other = PlaceOf(path);
      if (other.library != place.library || LevelOf(other) <= level) continue;
      complaints.push_back(
          {file.path, 0,
           fmt::format("includes {}, which is of a room above \"{}\"", path, place.room)});
    }
  }
  return complaints;
}

Complaints CheckFolderSizes(const std::vector<File>& files) {
  std::map<std::string, size_t> sizes;
  for (const File& file : files) ++sizes[file.path.substr(0, file.path.rfind('/'))];
  Complaints complaints;
  for (const auto& [folder, size] : sizes) {
    if (size <= kMaxFilesInFolder) continue;
    complaints.push_back(
        {folder, 0, fmt::format("has {} files, more than {}", size, kMaxFilesInFolder)});
  }
  return complaints;
}

Complaints CheckPublicHeaders(const std::vector<File>& files, const File& list,
                              const std::vector<File>& users) {
  std::map<std::string, const File*> by_path;
  for (const File& file : files) by_path[file.path] = &file;
  const HeaderList headers = ReadHeaderList(list);
  const std::set<std::string> needed = NeededBy(headers.offered, by_path);
  Complaints complaints;
  const auto complain = [&](const std::string& path, std::string_view what) {
    complaints.push_back({list.path, 0, fmt::format("{} {}", path, what)});
  };
  for (const std::string& path : headers.offered) {
    if (!by_path.contains(path)) complain(path, "does not exist");
  }
  for (const std::string& path : needed) {
    if (!headers.needed.contains(path)) complain(path, "is missing: a public header includes it");
  }
  for (const std::string& path : headers.needed) {
    if (!needed.contains(path)) complain(path, "is included by no public header: remove the line");
  }
  for (const File& user : users) {
    for (const std::string& path : IncludesOf(user)) {
      if (headers.offered.contains(path)) continue;
      complaints.push_back({user.path, 0, fmt::format("includes {}, which is not public", path)});
    }
  }
  return complaints;
}

}  // namespace kubexms::tidy
