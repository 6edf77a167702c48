#!/usr/bin/env bash
# docs/first-cluster.md as its reader meets it: every command works, and what it shows is printed.
# usage: first_cluster_test.sh PATH_OF_KUBEXMS DIRECTORY_OF_LABS SOURCE_DIRECTORY
# shellcheck source=tests/e2e/lab_harness.sh
source "$(dirname "$0")/lab_harness.sh" "$1" "$2"
page=$3/docs/first-cluster.md

# blocks LANGUAGE: none for what is shown.
blocks() {
  awk -v fence="\`\`\`$1" '
    !inside && $0 == fence { inside = 1; next }
    !inside && /^```/ { inside = -1; next }
    inside && $0 == "```" { inside = 0; next }
    inside == 1' "$page"
}

# The reader's kubexms, with a lab and a cache of this test.
mkdir -p "$work/bin" "$work/empty"
cat >"$work/bin/kubexms" <<SCRIPT
#!/usr/bin/env bash
case "\$1 \$2" in
  lab\ *) exec "$kubexms" lab "\$2" --dir "$directory" --name "$name" "\${@:3}" ;;
  "artifact build") exec "$kubexms" artifact build --cache "$directory/artifacts" "\${@:3}" ;;
  *) exec "$kubexms" "\$@" ;;
esac
SCRIPT
chmod +x "$work/bin/kubexms"
cd "$work/empty"
PATH=$work/bin:$PATH

# Whether Debian's packages can be fetched from here at all.
kubexms lab up --hosts 3 >/dev/null 2>"$work/up.log"
kubexms lab config >"$config"
build_artifact "$work/probe.artifact"

{ echo 'set -euo pipefail' && blocks bash; } >"$work/commands"
timeout 600 bash "$work/commands" >"$work/output" 2>"$work/errors.log" ||
  failed "the commands work" success "$(tail -n 40 "$work/errors.log")"
while read -r line; do
  grep -qF -e "$line" "$work/output" "$work/errors.log" ||
    failed "what the page shows is printed" "$line" "$(cat "$work/output")"
done < <(blocks '')
[ "$(blocks '' | wc -l)" -ge 3 ] || failed "the page shows something" "3 lines" "$(blocks '')"

plan_lines=$(awk '/^etcd\/prepare: user/ { plan = 1 } plan { n++ } /steps to apply on/ { exit } END { print n }' \
  "$work/output")
[ "$plan_lines" -lt 120 ] || failed "a plan can be read" "fewer than 120 lines" "$plan_lines"
grep -q -e '-----BEGIN' "$work/output" && failed "certificates are summarized" none "some"
grep -qF '# by hand' "$work/output" || failed "the difference is shown" "# by hand" "$(cat "$work/output")"
echo "all passed"
