# SPDX-License-Identifier: GPL-2.0
# ASSERTION: each of eight arguments arrives, whatever its type, from both forms.
. /src/selftests/lib/sh
driver many
trace /tmp/o -n 'many:main:args:, many:main:call_args:
{
	printf("%s %s %d %d %d %d %d %d %d %d %d\n", probefunc, probename, arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8);
}
many:main:types:mixed-types
{
	printf("%d %d %d %x %x %d %s %x\n", arg0, arg1, arg2, arg3, arg4, arg5, stringof(arg6), arg7);
}
many:main:sites:same, many:both:inlined: { @[probefunc, probename] = count(); }
many:main:loop:iter { @l = sum(arg0); }
END { printa("%s:%s %@d\n", @); printa("loop %@d\n", @l); }'
fire_many 1
end_trace
grep -v '^ready' /tmp/o | sort
