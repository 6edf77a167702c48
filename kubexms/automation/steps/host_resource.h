#pragma once

// What is to be true on a host, as values: this file with that content, that service running. From
// a resource and what the host answers follows the change that makes it true, and the change that
// takes it back. Nothing here talks to a host.

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

// What is to be done so that something becomes true. Empty: it is true already.
struct Change {
  std::vector<std::string> summary;   // a line for each thing, for people: "write /etc/hosts"
  std::vector<FileDiff> files;        // those that are written
  std::vector<std::string> restarts;  // the services that are disturbed
  std::vector<Operation> operations;
  std::vector<Operation> undo;     // takes all of it back, to be performed in this order
  std::vector<std::string> warnings;  // what somebody should know, also when nothing is to be done
  bool point_of_no_return = false;  // once applied, the run cannot be rolled back as a whole

  bool empty() const { return summary.empty(); }
  // Of all files.
  std::string Diff() const;
};

// A path whose directory exists or is a resource before this one.
struct File {
  std::string path;
  std::string content;
  std::string mode = "0644";
  std::string owner = "root";
  std::string group = "root";
  bool secret = false;  // its content is not shown
};

// With the directories above it, which get mode 0755 if they have to be made.
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

// That there is nothing, also no directory with anything in it.
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
  // Files that it reads when it starts: it is restarted when one is newer than its last start. That
  // holds for changes by anybody, and for a run that was interrupted between the two.
  std::vector<std::string> restart_after = {};
};

struct User {
  std::string name;
  std::string home;  // empty, here and below: whatever it is
  std::string shell;
  std::string groups;
};

// Now and after the next boot, by a file in /etc/sysctl.d.
struct Sysctl {
  std::string file;  // the name of the file, "90-kubexms.conf"
  std::map<std::string, std::string> values;
};

// The same by a file in /etc/modules-load.d.
struct KernelModules {
  std::string file;
  std::vector<std::string> modules;
};

// A block of /etc/hosts that is ours; the rest of the file stays.
struct HostsEntries {
  std::string owner;                           // names the block: the cluster
  std::map<std::string, std::string> entries;  // "10.0.0.1" → "node1 node1.example.com"
};

// An archive that is on the host already, unpacked. `marker` is a file that says which archive that
// was, so that another one is unpacked over it.
struct Archive {
  std::string archive;
  std::string directory;
  std::string marker;
  int64_t strip = 0;
};

// A std::variant that is copied, moved and destroyed in resource.cc.
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

// Where BackupPath keeps what was at a path, below the directory of a run.
std::string BackupOf(std::string_view path, const std::string& backup_directory);

// What has to be asked to plan the resources.
std::vector<Operation> QueriesFor(std::span<const HostResource> resources);

// The change that makes all of them true, in their order; later ones may build on earlier ones.
// `facts` has the answers to QueriesFor. Previous states of paths are kept below
// `backup_directory` on the host; without one, what happens to paths cannot be undone. An error
// names the resource: an archive that is not there, a link where a directory is to be.
Result<Change> PlanFor(std::span<const HostResource> resources, const Facts& facts,
                       const std::string& backup_directory);

}  // namespace kubexms::automation
