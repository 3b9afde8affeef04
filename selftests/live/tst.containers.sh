# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -x containers gives the counts of control groups the names of their containers, and those of other groups their paths.
# SECONDS: 180
. /src/selftests/lib/sh
driver hworld
id=$(printf 'a1b2c3d4%.0s' 1 2 3 4 5 6 7 8)
root=/sys/fs/cgroup pod=/sys/fs/cgroup/kubepods.slice/kubepods-pod7.slice
links=/tmp/containers
mkdir -p $links "$pod/cri-containerd-$id.scope" $root/plain.slice || fail "no control groups"
touch "$links/web-5d9_shop_front-$id.log"
trap 'kill "$tracer" 2>/dev/null; rmdir "$pod/cri-containerd-$id.scope" $pod $root/kubepods.slice $root/plain.slice' EXIT
# within GROUP N: N reads by processes of that group.
within() { bash -c 'echo $$ >"$1/cgroup.procs" && for n in $(seq "$2"); do cat /proc/hello-world >/dev/null; done' sh "$1" "$2" || fail "$1"; }
metrics() { [ -s /tmp/c.prom ] && grep -qxF -- "$1" /tmp/c.prom; }
# The program of the DaemonSet compiles, too.
sed -n '/program.d: |/,/^---/p' /src/userspace-ctl/export/share/kubernetes.yaml | sed '1d;/^---/d;s/^    //' >/tmp/program.d
grep -q curcgroup /tmp/program.d && dtrace -e -s /tmp/program.d || fail "the program of kubernetes.yaml"

trace /tmp/out -x export=textfile:/tmp/c.prom -x containers=$links -x snaprate=200ms -n 'hworld::open1:entry { @calls[curcgroup] = count(); @longest[execname, curcgroup] = max(pid > 0); }'
within "$pod/cri-containerd-$id.scope" 3
within $root/plain.slice 2
until_ok metrics 'dtrace_calls_total{namespace="shop",pod="web-5d9",container="front"} 3'
until_ok metrics 'dtrace_calls_total{cgroup="/plain.slice"} 2'
until_ok metrics 'dtrace_longest{execname="cat",namespace="shop",pod="web-5d9",container="front"} 1'
grep -q curcgroup /tmp/c.prom && { cat /tmp/c.prom; fail "a group without a name"; }
end_trace
cat /tmp/out.err
dtrace -x export=textfile:/tmp/d.prom -x containers=/nonexistent -n BEGIN 2>/tmp/err && fail "a missing folder is taken"
grep -q "failed to read '/nonexistent', which -x containers names" /tmp/err || fail "$(cat /tmp/err)"
exit 0
