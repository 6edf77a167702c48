#pragma once

// Desired state on a host, as values: a file with a content, a running service. From resources and
// the facts of a host follow the change that applies them and its undo data. No code here calls a
// host.

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kubexms/automation/hosts/operation.h"
#include "kubexms/automation/steps/diff.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

// The change that applies a desired state; empty when the host already has it.
struct Change {
  std::vector<std::string> summary;   // for people, one line per action: "write /etc/hosts"
  std::vector<FileDiff> files;        // files to write
  std::vector<std::string> restarts;  // services to restart
  std::vector<Operation> operations;
  std::vector<Operation> undo;        // undo data, to be performed in this order
  std::vector<std::string> warnings;  // also of an empty change
  bool point_of_no_return = false;    // once applied, the run cannot be rolled back as a whole

  bool empty() const { return summary.empty(); }
  // The diffs of all files.
  std::string Diff() const;
};

// The parent directory must exist or be an earlier resource.
struct File {
  std::string path;
  std::string content;
  std::string mode = "0644";
  std::string owner = "root";
  std::string group = "root";
  bool secret = false;  // never show the content
};

// With missing parent directories, which get mode 0755.
struct Directory {
  std::string path;
  std::string mode = "0755";
  std::string owner = "root";
  std::string group = "root";
};

struct Link {
  std::string path;
  std::string target;
};

// No file, link or directory, whatever its content.
struct Absent {
  std::string path;
};

struct Package {
  std::string name;
  std::string version;  // empty: any
};

struct Service {
  std::string name;
  bool active = true;
  bool enabled = true;
  // The service is restarted when one of these files is newer than its last start. That includes
  // files of other authors, and runs that were interrupted before the restart.
  std::vector<std::string> restart_after = {};
};

struct User {
  std::string name;
  std::string home;  // empty, here and below: any
  std::string shell;
  std::string groups;
};

// Kernel parameters, now and after a boot, by a file in /etc/sysctl.d.
struct Sysctl {
  std::string file;  // the name of the file, "90-kubexms.conf"
  std::map<std::string, std::string> values;
};

// Kernel modules, now and after a boot, by a file in /etc/modules-load.d.
struct KernelModules {
  std::string file;
  std::vector<std::string> modules;
};

// A marked block of /etc/hosts; the rest of the file is not changed.
struct HostsEntries {
  std::string owner;                           // the marker of the block: the cluster
  std::map<std::string, std::string> entries;  // "10.0.0.1" → "node1 node1.example.com"
};

// The extracted content of an archive that is on the host. The file `marker` has the checksum of
// the extracted archive, so that another one is extracted over it.
struct Archive {
  std::string archive;
  std::string directory;
  std::string marker;
  int64_t strip = 0;
};

// A std::variant whose special members are defined in host_resource.cc, for compile time.
class HostResource : public std::variant<File, Directory, Link, Absent, Package, Service, User,
                                         Sysctl, KernelModules, HostsEntries, Archive> {
 public:
  using variant::variant;
  HostResource();
  HostResource(const HostResource&);
  HostResource(HostResource&&) noexcept;
  HostResource& operator=(const HostResource&);
  HostResource& operator=(HostResource&&) noexcept;
  ~HostResource();
};

// The backup of a path, below the backup directory of a run.
std::string BackupOf(std::string_view path, const std::string& backup_directory);

// The queries to plan the resources.
std::vector<Operation> QueriesFor(std::span<const HostResource> resources);

// The change that applies the resources in order; later ones may depend on earlier ones. `facts`
// has the results of QueriesFor. Previous states of paths are stored below `backup_directory` on
// the host; if it is empty, changes of paths cannot be undone. Errors name the resource: an archive
// that does not exist, a link in place of a directory.
Result<Change> PlanFor(std::span<const HostResource> resources, const Facts& facts,
                       const std::string& backup_directory);

}  // namespace kubexms::automation
