# SPDX-License-Identifier: GPL-2.0
# ASSERTION: arg0 to arg7 are the probe's arguments in order, with their signs; args[] too; what a probe does not pass is 0.
. /src/selftests/lib/sh
driver many
out=$(dtrace -q -n '
many:main:args:eight { printf("%d %d %d %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9); }
many:main:args:three { printf("%d %d %d\n", args[0], args[1], args[2]); }
many:main:types:mixed-types { printf("%d %d %d %x %x %d %s %p\n", (int)arg0, (int)arg1, (int)arg2, (uint32_t)arg3, arg4, (char)arg5, stringof(arg6), (void *)arg7); }' \
	-c 'bash -c "echo 1 >/sys/module/many/parameters/fire"')
expect "arguments" "$out" "0 2 3
0 2 3 4 5 6 7 8 0 0
-1 -2 -3 fffffffc 123456789abcdef0 1 many 7000"
