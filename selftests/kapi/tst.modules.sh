# SPDX-License-Identifier: GPL-2.0
# ASSERTION: modules that are there are told of; so are those that come, live, go, and those whose init fails.
. /src/selftests/lib/sh
driver many
insmod "$drivers/kapi/kapi.ko" || fail "$(dmesg | grep 'kapi: FAILED')"
dmesg | grep -q 'kapi: loaded: many symbols true' || fail "many was there already"
rmmod many
insmod "$drivers/many/many.ko"
# Its parameter is refused after it was told to be coming.
insmod "$drivers/bad/bad.ko" no_such=1 2>/dev/null
modprobe null_blk queue_mode=1 2>/dev/null && fail "null_blk has its legacy mode again; use another module here"
rmmod kapi
dmesg | sed -n 's/^.* kapi: \([A-Z][a-z]* many .*\)/\1/p' >/tmp/events
cat >/tmp/wanted <<'W'
Going many symbols true in text true init text false reads true false false
Coming many symbols true in text true init text true reads true false false
Live many symbols true in text true init text true reads true false false
W
diff /tmp/wanted /tmp/events || fail "events of many"
dmesg | sed -n 's/^.* kapi: \([A-Z][a-z]*\) null_blk .*/\1/p' | xargs >/tmp/events
expect "events of a module whose init fails" "$(cat /tmp/events)" "Coming Going"
rmmod many
