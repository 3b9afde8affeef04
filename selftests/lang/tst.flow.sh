# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -F indents by entry and return of the function; other probes are shown with a bar.
. /src/selftests/lib/sh
driver hworld
taskset -c 0 dtrace -F -n 'hworld::: { trace(arg0 == 0); } END' -c 'taskset -c 0 cat /proc/hello-world' 2>/tmp/err | grep -v '^hello'
sed 's/pid [0-9]*/pid N/' /tmp/err
