'use strict';
(() => {
  const root = document.documentElement, all = (q, of = document) => [...of.querySelectorAll(q)];
  root.classList.add('scripted');
  // Light, dark, or what the system says.
  const theme = document.querySelector('.theme'), kinds = ['auto', 'light', 'dark'];
  let kind = 'auto';
  try { kind = localStorage.getItem('dtrace-theme') || 'auto'; } catch { /* a page of its own has no storage */ }
  const paint = () => {
    if (kind === 'auto') delete root.dataset.theme; else root.dataset.theme = kind;
    theme.textContent = 'Theme: ' + kind;
    try { localStorage.setItem('dtrace-theme', kind); } catch { /* the same */ }
  };
  theme.addEventListener('click', () => { kind = kinds[(kinds.indexOf(kind) + 1) % 3]; paint(); });
  paint();

  // Tables: a click on a head sorts, text filters.
  const value = (row, n) => {
    const cell = row.cells[n], v = cell.dataset.v;
    return v === undefined ? cell.textContent.trim().toLowerCase() : Number(v);
  };
  for (const table of all('table.sortable')) {
    const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, n) => {
      if (head.classList.contains('plain')) return;
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const isNumber = head.classList.contains('n');
        const down = head.ariaSort ? head.ariaSort === 'ascending' : isNumber;
        heads.forEach(h => h.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        const rows = [...body.rows].map(r => [value(r, n), r]);
        rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1));
        body.append(...rows.map(r => r[1]));
      });
    });
    if (body.rows.length < 6) continue;
    const tools = document.createElement('div'), label = document.createElement('label');
    const input = document.createElement('input'), told = document.createElement('span');
    tools.className = 'tools';
    input.type = 'search';
    input.placeholder = 'words or a regular expression';
    told.setAttribute('aria-live', 'polite');
    label.append('Filter ', input);
    tools.append(label, told);
    (table.closest('.scroll') || table).before(tools);
    input.addEventListener('input', () => {
      const is = matcher(input.value);
      let n = 0;
      for (const row of body.rows) { row.hidden = !is(row.textContent); n += !row.hidden; }
      told.textContent = input.value ? `${n} of ${body.rows.length} rows` : '';
    });
  }
  function matcher(text) {
    try { const re = new RegExp(text, 'i'); return s => re.test(s); }
    catch { const low = text.toLowerCase(); return s => s.toLowerCase().includes(low); }
  }

  // Flame graphs: a click zooms, a search marks.
  for (const flame of all('.flame')) {
    const box = flame.querySelector('.frames'), detail = flame.querySelector('.detail'), about = detail.textContent;
    const found = flame.querySelector('.found'), frames = all('.f', box).map(node => ({
      node, x: Number(node.dataset.x), w: Number(node.dataset.w), d: Number(node.style.getPropertyValue('--d')),
    }));
    let current = frames[0];
    const zoom = to => {
      const near = 0.0015;
      for (const f of frames) {
        const covers = f.d < to.d && f.x <= to.x + near && f.x + f.w >= to.x + to.w - near;
        const inside = f.d >= to.d && f.x >= to.x - near && f.x + f.w <= to.x + to.w + near;
        f.node.classList.toggle('gone', !covers && !inside);
        f.node.classList.toggle('over', covers);
        f.node.style.left = (covers ? 0 : (f.x - to.x) / to.w * 100) + '%';
        f.node.style.width = (covers ? 100 : f.w / to.w * 100) + '%';
        f.node.classList.toggle('thin', !covers && f.w / to.w * 100 < 2);
      }
    };
    const show = f => {
      current.node.classList.remove('cur');
      current = f;
      detail.textContent = f.node.title.split('\n').join('   ');
    };
    const of = node => frames.find(f => f.node === node);
    box.addEventListener('mouseover', e => { if (e.target.matches('.f')) show(of(e.target)); });
    box.addEventListener('mouseleave', () => { detail.textContent = about; });
    box.addEventListener('click', e => { if (e.target.matches('.f')) zoom(of(e.target)); });
    flame.querySelector('.reset').addEventListener('click', () => zoom(frames[0]));
    box.addEventListener('keydown', e => {
      const up = flame.querySelector('.icicle').checked ? -1 : 1, c = current, seen = frames.filter(f => !f.node.classList.contains('gone'));
      const inside = f => f.x >= c.x - 0.0015 && f.x < c.x + c.w;
      const step = {
        ArrowUp: up, ArrowDown: -up,
      }[e.key];
      let next;
      if (step === 1) next = seen.filter(f => f.d === c.d + 1 && inside(f)).sort((a, b) => b.w - a.w)[0];
      else if (step === -1) next = seen.find(f => f.d === c.d - 1 && f.x <= c.x + 0.0015 && f.x + f.w > c.x);
      else if (e.key === 'ArrowRight') next = seen.filter(f => f.d === c.d && f.x > c.x).sort((a, b) => a.x - b.x)[0];
      else if (e.key === 'ArrowLeft') next = seen.filter(f => f.d === c.d && f.x < c.x).sort((a, b) => b.x - a.x)[0];
      else if (e.key === 'Enter') next = (zoom(c), c);
      else if (e.key === 'Escape') next = (zoom(frames[0]), frames[0]);
      else return;
      e.preventDefault();
      if (next) { show(next); next.node.classList.add('cur'); }
    });
    flame.querySelector('.find').addEventListener('input', e => {
      const text = e.target.value, is = matcher(text);
      const hits = frames.filter(f => {
        const hit = text !== '' && is(f.node.title.split('\n')[0]);
        f.node.classList.toggle('hit', hit);
        return hit;
      });
      // Of a hit within a hit the outer one counts.
      const outer = hits.filter(h => !hits.some(o => o !== h && o.d < h.d && o.x <= h.x && o.x + o.w >= h.x + h.w - 0.001));
      const sum = outer.reduce((n, f) => n + f.w, 0);
      found.textContent = text ? `${hits.length} frames match, ${sum.toFixed(1)} % of all` : '';
    });
  }
})();
