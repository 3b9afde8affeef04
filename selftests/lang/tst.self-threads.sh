# SPDX-License-Identifier: GPL-2.0
# ASSERTION: self-> belongs to a thread: two that interleave do not see each other's, this-> and globals by contrast.
. /src/selftests/lib/sh
driver hworld
trace /tmp/out -n 'hworld::open1:entry { self->name = execname; self->n = ++n; }
	hworld::read1:return /self->n/ { printf("%s %d\n", self->name, self->n); self->n = 0; self->name = 0; }
	hworld::read1:return /self->n == 0 && strlen(self->name)/ { printf("left over\n"); }'
mkfifo /tmp/go
cp /bin/bash /tmp/first; cp /bin/bash /tmp/second
/tmp/first -c 'exec 3</proc/hello-world; read -r line </tmp/go; read -r line <&3' &
first=$!
until_ok test -e /proc/$first/fd/3
/tmp/second -c 'exec 3</proc/hello-world; read -r line <&3'
echo >/tmp/go
wait $first
end_trace
expect "interleaved" "$(sed -n '2,3p' /tmp/out | tr '\n' ';')" "second 2;first 1;"
grep -q 'left over' /tmp/out && fail "unset variables are still there"
true
