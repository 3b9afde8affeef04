# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the seed's scene: a driver's own probes are listed as it loads, and trace as they fire.
. /src/selftests/lib/sh
driver hworld
dtrace -l -P hworld | sed 's/^ *[0-9]*/ID/'
cat /proc/hello-world >/dev/null
dtrace -qn 'hworld:::
{
	printf("%s:%s:%s:%s %d\n", probeprov, probemod, probefunc, probename, arg0);
}' -c 'cat /proc/hello-world' | sed 's/opened [0-9]*/opened N/; s/^\(.*open1:entry\) .*/\1 N/'
