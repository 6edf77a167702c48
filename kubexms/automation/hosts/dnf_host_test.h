#pragma once

// A host with dnf and rpm on this machine: its own disk, in memory, over that of the machine, which
// stays as it is. It has no apt and no dpkg, and one source with packages made here.

#include <fmt/format.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "kubexms/automation/hosts/namespace_transport_test.h"
#include "kubexms/automation/hosts/shell_connector.h"
#include "kubexms/base/check.h"

namespace kubexms::automation {

class DnfHost {
 public:
  static bool IsPossible() {
    return NamespaceTransport::IsPossible() && std::system(
                                                   "for each in dnf rpmbuild createrepo_c; do "
                                                   "command -v $each >/dev/null || exit 1; done; "
                                                   "grep -qw overlay /proc/filesystems") == 0;
  }
  static constexpr const char* kImpossible =
      "needs root, overlayfs, mount namespaces, and the packages dnf, rpm and createrepo-c";

  DnfHost() : directory_("/dev/shm/kubexms-XXXXXX") {
    KUBEXMS_CHECK(::mkdtemp(directory_.data()) != nullptr);
    for (const char* part : {"upper", "work", "root"}) {
      std::filesystem::create_directory(directory_ + "/" + part);
    }
    const std::string mounts = fmt::format(
        "cd {} && mount -t overlay -o lowerdir=/,upperdir=upper,workdir=work none root && "
        "mount --rbind /proc root/proc && mount --rbind /dev root/dev && "
        "exec chroot root sh -c \"$1\"",
        directory_);
    connector_ = MakeShellConnector(std::make_unique<NamespaceTransport>(mounts), {}, &random_);
    const Result<CommandResult> made = connector_->Exec({.script = kSetUp});
    KUBEXMS_CHECK(made.ok());
    if (!made->ok()) fmt::print(stderr, "{}{}\n", made->output, made->error_output);
    KUBEXMS_CHECK(made->ok());
  }
  ~DnfHost() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  DnfHost(const DnfHost&) = delete;
  DnfHost& operator=(const DnfHost&) = delete;

  Connector& connector() { return *connector_; }

 private:
  // `tried` in versions 1 and 2, of which the second has an epoch; `needy`, which needs it and
  // would like `extra`; and `core`, of which several versions can be there at once.
  static constexpr const char* kSetUp = R"sh(
set -e
mkdir -p /srv/source
cd /srv/source
# build NAME VERSION [MORE [SUFFIX]]: a package with the file version$SUFFIX
build() {
  cat >/tmp/spec <<EOF
Name: $1
Version: $2
Release: 7
Summary: for a test
License: none
BuildArch: noarch
$3
%description
For a test.
%install
mkdir -p %{buildroot}/usr/share/$1
echo $2 >%{buildroot}/usr/share/$1/version$4
%files
/usr/share/$1
EOF
  rpmbuild --quiet -bb --define '_topdir /tmp/rpmbuild' --define '_rpmdir /srv/source' /tmp/spec
}
build tried 1
build tried 2 'Epoch: 3'
build needy 1 'Requires: tried
Recommends: extra'
build extra 1
build core 1 'Provides: installonlypkg(kernel)' .1
build core 2 'Provides: installonlypkg(kernel)' .2
createrepo_c -q .
mkdir -p /etc/yum.repos.d
rm -f /etc/yum.repos.d/* /usr/bin/apt* /usr/bin/dpkg*
printf '[source]\nname=source\nbaseurl=file:///srv/source\ngpgcheck=0\n' >/etc/yum.repos.d/source.repo
)sh";

  std::string directory_;
  SystemRandom random_;
  std::unique_ptr<Connector> connector_;
};

}  // namespace kubexms::automation
