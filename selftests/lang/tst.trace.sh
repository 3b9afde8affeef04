# SPDX-License-Identifier: GPL-2.0
# ASSERTION: columns: heading, CPU, id, FUNCTION:NAME; trace() of each width and sign; -q prints bare values.
# Whether there is a command or a script, from -n or -s, the lines are the same.
program='BEGIN { trace(-1); trace((char)-2); trace((uint8_t)254); trace((short)-3); trace((uint16_t)65533);
	trace((unsigned)-4); trace(5LL); trace((uint64_t)-1); trace("text"); trace((int *)16); }
BEGIN { trace("a string of more than thirty-three characters is not cut"); trace(1); }
BEGIN { printf("printf has no columns: %d", 1); }
BEGIN { printf("with a newline there are two\n"); }
BEGIN { n = 1; }
BEGIN { exit(0); }
END { }'
taskset -c 0 dtrace -n "$program" 2>/tmp/err; cat /tmp/err
taskset -c 0 dtrace -q -n "$program"
echo "$program" >/tmp/program.d
taskset -c 0 dtrace -s /tmp/program.d 2>&1 >/dev/null
