// SPDX-License-Identifier: GPL-2.0
// The buttons of the book's pages: contents, theme, keys. The page itself holds the rest.
'use strict';
(() => {
	const root = document.documentElement;
	const keep = (key, value) => { try { localStorage.setItem(key, value); } catch (e) { } };
	const forget = key => { try { localStorage.removeItem(key); } catch (e) { } };

	document.querySelectorAll('code[class*="language-d"]').forEach(code => window.hljs && hljs.highlightBlock(code));

	const box = document.getElementById('sidebar-toggle-anchor'), side = document.getElementById('sidebar');
	box.addEventListener('change', () => {
		const shown = box.checked;
		root.classList.toggle('sidebar-visible', shown);
		root.classList.toggle('sidebar-hidden', !shown);
		document.getElementById('sidebar-toggle').setAttribute('aria-expanded', shown);
		side.setAttribute('aria-hidden', !shown);
		side.querySelectorAll('a').forEach(link => link.setAttribute('tabIndex', shown ? 0 : -1));
		keep('mdbook-sidebar', shown ? 'visible' : 'hidden');
	});

	const toggle = document.getElementById('theme-toggle'), list = document.getElementById('theme-list');
	const dark = matchMedia('(prefers-color-scheme: dark)');
	const names = [...list.querySelectorAll('.theme')].map(button => button.id);
	const show = shown => {
		list.style.display = shown ? 'block' : 'none';
		toggle.setAttribute('aria-expanded', shown);
	};
	const dress = name => {
		const theme = name === 'default_theme' ? (dark.matches ? default_dark_theme : default_light_theme) : name;
		root.classList.remove(...names);
		root.classList.add(theme);
		document.getElementById('highlight-css').disabled = !['light', 'rust'].includes(theme);
		document.getElementById('tomorrow-night-css').disabled = !['coal', 'navy'].includes(theme);
		document.getElementById('ayu-highlight-css').disabled = theme !== 'ayu';
	};
	dress(names.find(name => root.classList.contains(name)) || default_light_theme);
	toggle.addEventListener('click', () => show(list.style.display !== 'block'));
	list.addEventListener('click', event => {
		const button = event.target.closest('.theme');
		if (!button) return;
		button.id === 'default_theme' ? forget('mdbook-theme') : keep('mdbook-theme', button.id);
		dress(button.id);
		show(false);
		toggle.focus();
	});
	document.addEventListener('click', event => event.target.closest('#theme-list, #theme-toggle') || show(false));

	document.addEventListener('keydown', event => {
		if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest('input')) return;
		if (event.key === 'Escape') show(false);
		const to = { ArrowLeft: 'prev', ArrowRight: 'next' }[event.key];
		const link = to && document.querySelector(`a[rel~="${to}"]`);
		if (link) location.href = link.href;
	});
})();
