#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Looks at pages of dtrace in headless Chromium: clicks what can be clicked, and leaves screenshots.

usage: tools/look.py OUT PAGE.html...    needs chromium and python3-playwright on this machine; no part of make check
Make a page with `dtrace --render FILE.json -o PAGE.html`. Each page is drawn light, dark, narrow and without scripts.
"""
import os, sys
from playwright.sync_api import sync_playwright


def click(page):
    """Sorts, filters, zooms and searches; each must change what it is for."""
    errors = []
    page.on('pageerror', lambda e: errors.append(str(e)))
    page.on('console', lambda m: errors.append(m.text) if m.type == 'error' else None)
    page.reload()
    theme = page.locator('.theme')
    theme.click(); theme.click()
    assert page.evaluate('document.documentElement.dataset.theme') == 'dark', 'the theme is not dark'
    theme.click()
    for table in page.locator('section > .scroll table.sortable').all()[:3]:
        head = table.locator('thead th.n button').first
        if not head.count(): continue
        n = head.evaluate('b => b.parentNode.cellIndex')
        values = lambda: table.evaluate('(t, n) => [...t.tBodies[0].rows].map(r => Number(r.cells[n].dataset.v))', n)
        head.click(); down = values()
        head.click(); up = values()
        assert down == sorted(down, reverse=True) and up == sorted(up), 'a click on a head does not sort'
        box = table.locator('xpath=ancestor::div[1]/preceding-sibling::div[contains(@class,"tools")]').locator('input')
        if not box.count(): continue
        box = box.last
        word = table.evaluate('t => t.tBodies[0].rows[0].cells[0].textContent.trim()')
        rows = 'r => [...r.tBodies[0].rows].filter(r => !r.hidden).length'
        box.fill('no such thing'); assert table.evaluate(rows) == 0, 'the filter hides nothing'
        box.fill(word.replace('(', '.')); assert table.evaluate(rows) > 0, 'the filter finds nothing'
        box.fill('')
    for flame in page.locator('.flame').all()[:1]:
        width = lambda: flame.locator('.f:not(.gone)').count()
        all_frames = width()
        frame = flame.locator('.f').nth(1)
        for f in flame.locator('.f').all()[:200]:
            if 5 < float(f.get_attribute('data-w')) < 60: frame = f; break
        frame.click()
        assert width() < all_frames or all_frames < 4, 'a click does not zoom'
        page.wait_for_timeout(300)
        wide = frame.evaluate('f => f.offsetWidth / f.parentNode.offsetWidth')
        assert wide > 0.98, f'the zoomed frame has {wide} of the width'
        flame.locator('.reset').click(); assert width() == all_frames, 'reset does not show all'
        flame.locator('.find').fill(frame.text_content().split('+')[0])
        assert flame.locator('.f.hit').count() > 0 and '%' in flame.locator('.found').text_content()
        top = frame.evaluate('f => f.offsetTop')
        flame.locator('.icicle').check(); page.wait_for_timeout(300)
        assert frame.evaluate('f => f.offsetTop') != top, 'the graph is not upside down'
        flame.locator('.frames').focus()
        page.keyboard.press('ArrowDown'); assert flame.locator('.f.cur').count() == 1, 'keys do not walk'
        flame.locator('.icicle').uncheck(); flame.locator('.find').fill('')
    assert not errors, errors


def main(out, names):
    os.makedirs(out, exist_ok=True)
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=os.environ.get('CHROMIUM', '/usr/bin/chromium'), args=['--no-sandbox'])
        for name in names:
            base = os.path.join(out, os.path.basename(name).rsplit('.', 1)[0])
            for kind, scheme, width, scripts in [('light', 'light', 1240, True), ('dark', 'dark', 1240, True),
                                                 ('narrow', 'light', 390, True), ('plain', 'light', 1240, False)]:
                context = browser.new_context(color_scheme=scheme, java_script_enabled=scripts,
                                              viewport={'width': width, 'height': 900})
                page = context.new_page()
                asked = []
                page.on('request', lambda r: asked.append(r.url))
                page.goto('file://' + os.path.abspath(name))
                page.screenshot(path=f'{base}-{kind}.png', full_page=True)
                if scripts:
                    assert page.evaluate('document.documentElement.scrollWidth') <= width, 'the page is too wide'
                if kind == 'light': click(page)
                assert all(u.startswith('file://') for u in asked), asked
                context.close()
            print(f'{name}: {base}-*.png')
        browser.close()


if __name__ == '__main__':
    if len(sys.argv) < 3: sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
