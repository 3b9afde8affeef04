# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -x export serves exactly what a program counts, -x oformat=pprof and perfetto draw it.
. /src/selftests/lib/sh
driver hworld
ip link set lo up
program='hworld:::entry { @calls[probefunc] = count(); @sizes = quantize(arg0); @stacks[stack()] = count(); printf("called\n"); } END { printf("ended\n"); }'
dtrace -q -x snaprate=100ms -x export=prometheus:9105 -x export=textfile:/tmp/m.prom -n "$program" >/tmp/text 2>/tmp/err &
tracer=$!
until_ok grep -q '^dtrace_probes [1-9]' /tmp/m.prom
for n in 1 2 3; do cat /proc/hello-world >/dev/null; done
until_ok grep -q '^dtrace_calls_total{probefunc="open1"} 3$' /tmp/m.prom
python3 - <<'P' || fail "see above"
import urllib.request
def get(accept):
    request = urllib.request.Request('http://127.0.0.1:9105/metrics', headers={'Accept': accept})
    return urllib.request.urlopen(request, timeout=20).read()
text = get('text/plain').decode()
values = dict(l.rsplit(' ', 1) for l in text.splitlines() if l[0] != '#')
opened, read = (int(values['dtrace_calls_total{probefunc="%s"}' % f]) for f in ('open1', 'read1'))
assert opened == 3 and int(values['dtrace_sizes_count']) == opened + read, text
assert values['dtrace_export_left_out{cause="stack",metric="dtrace_stacks"}'] != '0', text
assert get('application/openmetrics-text').endswith(b'# EOF\n')
assert b'dtrace_sizes' in get('application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited')
P
# A client that says nothing does not keep the session from its end.
exec 5<>/dev/tcp/127.0.0.1/9105
kill -INT "$tracer"; wait "$tracer"; expect "status" $? 0
exec 5>&-
expect "the program's text" "$(sort /tmp/text | uniq | tr '\n' ' ')" "called ended "
dtrace -q -x export=prometheus:1.2.3.4:1 -n 'BEGIN { exit(0); }' 2>/tmp/err; expect "an address of others: status" $? 1
grep -q 'failed to listen at 1.2.3.4:1' /tmp/err || fail "$(cat /tmp/err)"

# A collector of OpenTelemetry gets metrics and what is printed, and a collector that is not there ends nothing.
cat >/tmp/collector.py <<'P'
import gzip, http.server
class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = gzip.decompress(self.rfile.read(int(self.headers['Content-Length'])))
        assert self.headers['Content-Type'] == 'application/x-protobuf'
        open('/tmp/otlp', 'ab').write(self.path.encode() + b' ' + body + b'\n')
        self.send_response(200); self.send_header('Content-Length', '0'); self.end_headers()
    def log_message(self, *words): pass
http.server.HTTPServer(('127.0.0.1', 4318), Collector).serve_forever()
P
: >/tmp/otlp
dtrace -q -x export=otlp:localhost:4318 -n 'BEGIN { printf("said\n"); exit(0); }' >/tmp/text 2>/tmp/err || fail "no collector: $(cat /tmp/err)"
grep -q 'failed to send to http://localhost:4318: Connection refused' /tmp/err || fail "no collector: $(cat /tmp/err)"
grep -q '1 printed events were not sent' /tmp/err || fail "no collector: $(cat /tmp/err)"
python3 /tmp/collector.py & collector=$!
until_ok bash -c ': </dev/tcp/127.0.0.1/4318'
dtrace -q -x snaprate=100ms -x export=otlp:localhost:4318/at -n "$program" -n 'tick-1s { exit(0); }' -c 'sh -c "cat /proc/hello-world >/dev/null"' >/tmp/text 2>/tmp/err || fail "otlp"
kill $collector
expect "errors" "$(cat /tmp/err)" ""
for word in /at/v1/metrics dtrace_calls dtrace_sizes service.instance.id open1 /at/v1/logs called ended hworld:open_module:open1:entry; do
	grep -qaF -- "$word" /tmp/otlp || fail "the collector has no $word"
done

for f in runqlat biolatency; do dtrace -e -s /src/userspace-ctl/export/share/$f.d || fail "$f"; done

dtrace -x oformat=perfetto -n 'syscall::kill:entry,syscall::kill:return /pid == $target/ { }' -c 'bash -c "kill -0 $$; kill -0 $$"' -o /tmp/trace || fail "perfetto"
dtrace -x oformat=pprof -n 'syscall::kill:entry /pid == $target/ { @[execname, ustack(), stack()] = count(); }' -c 'bash -c "kill -0 $$"' -o /tmp/profile || fail "pprof"
python3 - <<'P' || fail "see above"
import gzip, json
events = json.load(open('/tmp/trace'))['traceEvents']
slices = [e for e in events if e['ph'] == 'X']
assert [e['name'] for e in slices] == ['kill', 'kill'], events
assert slices[0]['ts'] + slices[0]['dur'] <= slices[1]['ts'] and slices[0]['tid'] == slices[1]['tid'] > 1, slices
assert {'bash'} == {e['args']['name'] for e in events if e['name'] == 'thread_name'}, events
profile = gzip.open('/tmp/profile').read()
assert b'do_syscall_64' in profile and b'execname' in profile and b'vmlinux' in profile, profile
P
