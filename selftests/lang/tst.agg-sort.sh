# SPDX-License-Identifier: GPL-2.0
# ASSERTION: by value ascending; aggsortrev, aggsortkey, aggsortkeypos, aggsortpos change it, for printa too.
show() {
	echo "-- $*"
	dtrace -q $(printf -- '-x %s ' "$@") -n 'BEGIN { @a["b", 1] = sum(5); @a["a", 3] = sum(7); @a["c", 2] = sum(6);
		@b["b", 1] = sum(2); @b["a", 3] = sum(1); @b["c", 2] = sum(3); exit(0); }
		END { printa("%s %d %@d %@d\n", @a, @b); }'
}
show temporal
show aggsortrev
show aggsortkey
show aggsortkey aggsortrev
show aggsortkey aggsortkeypos=1
show aggsortpos=1
