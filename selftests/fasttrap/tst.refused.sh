# SPDX-License-Identifier: GPL-2.0
# ASSERTION: places that cannot have a breakpoint are refused, each with its reason, and the others are not hindered.
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
begin /tmp/calls 1 1
no() { expect "$1" "$(/tmp/make $target offset calls f $2 0 0 | grep -o ': .*')" ": $3"; }
no "nothing mapped" 1000 1
no "the kernel" ffffffff81000000 1
stack=$(awk '/\[stack\]/ { split($1, a, "-"); print a[1] }' /proc/$target/maps)
no "the stack" $stack 2
form=$(where form)
form=0x${form% *}
# A breakpoint of a debugger's.
expect "one of three" "$(ask offset calls form 0 5 8 | head -1)" "made 3"
# Within an instruction that has one.
trace /tmp/o -n "pid$target:calls:form: { @[probename] = count(); }"
no "within" $(printf %x $((form + 1))) 4
end_trace
# The file that the caller has seen there, and others.
read -r device inode <<<"$(awk '$2 ~ /x/ && $NF == "/tmp/calls" { print $4, $5 }' /proc/$target/maps)"
file=$inode:$(((16#${device%:*} << 20) + 16#${device#*:}))
expect "the file" "$(FILE=$file ask entry calls leaf 0)" "made 1"
expect "another file" "$(FILE=1$file ask entry calls form 0)" "made 0
refused 0: 24"
expect "another device" "$(FILE=${file}1 ask entry calls form 0)" "made 0
refused 0: 24"
expect "no process" "$(/tmp/make 4194304 entry a b 1000 0 0 2>&1)" "make: No such process"
expect "a kernel thread" "$(/tmp/make 2 entry a b 1000 0 0 2>&1)" "make: No such process"
go_on
end_well
