# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -x oformat=json: every line is an object of the schema, nothing else is on the stream, and what is lost or wrong is in it.
. /src/selftests/lib/sh
driver hworld; driver many
program='
syscall::kill:entry /pid == $target/ { trace(execname); trace(arg0 > 0); printf("%d %s", arg1, probefunc); stack(); ustack(2); }
syscall::kill:return /pid == $target/ { print(curthread->se.load); trace(*(int *)(arg1 + 16)); }
syscall::kill:entry /pid == $target/ { @who[execname, stack(1), ustack(1)] = count(); @size = lquantize(arg1, 0, 64, 16); system("echo noise"); }'
dtrace -w -x oformat=json -n "$program" -c 'bash -c "kill -0 $$; echo noise"' >/tmp/json 2>/tmp/err || fail "$(cat /tmp/err)"
expect "noise" "$(sort -u /tmp/err)" noise
dtrace -x oformat=json -b 4k -n 'many:main:args:one { trace(arg0); }' -c 'bash -c "echo 3000 >/sys/module/many/parameters/fire"' -o /tmp/many || fail "status $?"
dtrace -x oformat=json -n 'BEGIN { trace(nosuch); }' >/tmp/bad 2>/tmp/err; expect "status of a bad program" $? 1
grep -q '^dtrace: invalid probe specifier' /tmp/err || fail "$(cat /tmp/err)"
dtrace -x oformat=json -n 'BEGIN { exit(7); }' >/tmp/seven; expect "exit(7)" $? 7
dtrace -x oformat=json -n 'BEGIN { exit(0); }' -c /nonexistent >/tmp/none 2>/tmp/err; expect "no command" $? 1
program='
syscall::kill:entry /pid == $target/ { self->s = speculation(); speculate(self->s); trace(1); }
syscall::kill:return /self->s/ { commit(self->s); }
syscall::kill:entry /pid == $target/ { }
syscall::kill:entry /pid == $target/ { if (arg0) { @ = count(); printf("two"); } }
syscall::kill:entry /pid == $target/ { @pids[pid] = count(); }'
dtrace -x threads -x oformat=json -n "$program" -c 'bash -c "kill -0 $$"' >/tmp/threads 2>/tmp/err || fail "$(cat /tmp/err)"
dtrace -q -x threads -n 'BEGIN { printf("as ever"); exit(0); }' >/tmp/text 2>&1; expect "text" "$(cat /tmp/text)" "as ever"
dtrace -x oformat=json -l -v -n 'hworld:::' >/tmp/list || fail "status $?"
python3 - <<'P' || fail "see above"
import json
def lines(name):
    text = open(name).read()
    assert text.endswith('\n'), name
    found = [json.loads(line) for line in text.splitlines()]
    assert found[0] == {'type': 'dtrace', 'schema': 1, 'version': found[0]['version']}, found[0]
    assert found[-1]['type'] == 'exit', found[-1]
    return found[1:]
def of(found, kind): return [l for l in found if l['type'] == kind]

said = lines('/tmp/json')
assert of(said, 'program')[0]['name'] == 'syscall::kill:entry', said[0]
first, second = [r['actions'] for r in of(said, 'record')]
assert [a['action'] for a in first] == ['trace', 'trace', 'printf', 'stack', 'ustack'], first
assert first[0] == {'action': 'trace', 'type': 'string', 'value': 'bash'}, first[0]
assert first[2]['text'] == '0 kill' and first[2]['values'][0] == {'type': 'int', 'value': 0}, first[2]
assert any('do_syscall_64' in f for f in first[3]['value']) and len(first[4]['value']) <= 2, first
assert [a['action'] for a in second] == ['system'], second
fault, = of(said, 'fault')
assert fault['fault'] == 'invalid address' and fault['address'] == '0x10' and fault['action'] == 2, fault
assert fault['probe']['provider'] == 'syscall', fault
who, size = of(said, 'aggregation')
assert (who['name'], who['function'], who['entries'][0]['value']) == ('who', 'count', 1), who
assert [k['type'] for k in who['entries'][0]['keys']] == ['string', 'stack', 'ustack'], who
assert size['entries'][0]['buckets'] == [{'low': 0, 'high': 15, 'count': 1}], size
assert any('has exited' in n['text'] for n in of(said, 'note')), said
assert said[-1]['status'] == 0

many = lines('/tmp/many')
drops = sum(d['count'] for d in of(many, 'drop'))
assert all(d['cpu'] is not None for d in of(many, 'drop'))
assert len(of(many, 'record')) + drops == 3000, (len(of(many, 'record')), drops)
times = [r['timestamp'] for r in of(many, 'record')]
assert times == sorted(times)

# The clause that commits cannot record anything else.
threads = [r for r in of(lines('/tmp/threads'), 'record') if 'tid' in r]
assert sorted([a['action'] for a in r['actions']] for r in threads) == [[], ['printf'], ['trace']], threads
assert all(r['pid'] == r['tid'] > 1 and r['execname'] == 'bash' for r in threads), threads
assert 'tid' not in of(said, 'record')[0], said

bad = lines('/tmp/bad')
assert [(e['tag'], e['line']) for e in of(bad, 'error')] == [('D_IDENT_UNDEF', 1)] and bad[-1]['status'] == 1, bad
assert lines('/tmp/seven')[-1]['status'] == 7
none = lines('/tmp/none')
assert 'No such file' in of(none, 'error')[0]['text'] and none[-1]['status'] == 1, none
listed = of(lines('/tmp/list'), 'probe')
assert len(listed) == 4 and all(p['provider'] == 'hworld' and p['id'] > 3 for p in listed), listed
P
