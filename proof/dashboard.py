# SPDX-License-Identifier: GPL-2.0
# Asks Prometheus every question of the Grafana dashboard (the file), as Grafana would for all machines. Each must get numbers.
import json, math, sys, urllib.parse, urllib.request

def ask(path, **words):
    url = f'http://127.0.0.1:9090/api/v1/{path}?' + urllib.parse.urlencode(words)
    try:
        return json.load(urllib.request.urlopen(url, timeout=60))['data']
    except urllib.error.HTTPError as e:
        raise SystemExit(f'{words}: {e.read().decode()}')

board = json.load(open(sys.argv[1]))
assert board['title'] and board['uid'] and board['schemaVersion'] >= 36, board.keys()
panels = board['panels']
assert len({p['id'] for p in panels}) == len(panels), 'two panels have one id'
taken = set()
for p in panels:
    at = p['gridPos']
    cells = {(x, y) for x in range(at['x'], at['x'] + at['w']) for y in range(at['y'], at['y'] + at['h'])}
    assert at['x'] + at['w'] <= 24 and not cells & taken, f'panel {p["title"]} overlaps'
    taken |= cells
variables = {v['name']: v for v in board['templating']['list']}
question = variables['instance']['query']['query']
assert question == 'label_values(dtrace_probes, instance)', question
machines = ask('label/instance/values', **{'match[]': 'dtrace_probes'})
assert len(machines) == int(sys.argv[2]), machines
asked = 0
for p in panels:
    assert p['datasource']['uid'] == '${datasource}', p['title']
    assert len({t['refId'] for t in p['targets']}) == len(p['targets']), p['title']
    for t in p['targets']:
        text = t['expr'].replace('$__rate_interval', '30s').replace('$instance', variables['instance']['allValue'])
        assert '$' not in text, text
        result = ask('query', query=text)['result']
        numbers = [r['histogram'][1]['count'] if 'histogram' in r else r['value'][1] for r in result]
        print(f'{p["title"]}: {text}: {numbers[:4]}')
        assert numbers and all(math.isfinite(float(n)) for n in numbers), f'{text}: {result}'
        asked += 1
print(f'dashboard: {asked} questions, each has numbers')
