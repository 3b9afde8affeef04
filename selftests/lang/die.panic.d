/*
 * ASSERTION: panic() stops the machine, and the console says which probe did so, in whose program.
 * OPTIONS: -w
 * TRIGGER: sleep 0.1
 * DIES: Kernel panic - not syncing: dtrace: panic() at probe syscall:vmlinux:clock_nanosleep:entry, in a program of dtrace, process
 */
syscall::clock_nanosleep:entry
/pid == $target/
{
	panic();
}
