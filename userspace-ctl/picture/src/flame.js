(() => {
  const svg = document.currentScript.ownerSVGElement;
  const frames = [...svg.querySelectorAll("g.f")].map((g) => ({
    g, x: +g.dataset.x, w: +g.dataset.w, rect: g.querySelector("rect"), text: g.querySelector("text"), name: g.dataset.n,
  }));
  const wide = +svg.querySelector("g.frames").dataset.wide;
  const fit = (name, room) => {
    const n = Math.floor((room - 6) / 7);
    return n >= name.length ? name : n < 3 ? "" : name.slice(0, n - 1) + "\u2026";
  };
  // Shows the part of the graph that begins at x and is w wide; frames that contain it are drawn over its whole width.
  const zoom = (x, w) => frames.forEach((f) => {
    const from = Math.max(0, (f.x - x) / w), to = Math.min(1, (f.x + f.w - x) / w);
    const room = (to - from) * wide;
    f.g.style.display = room > 0.3 ? "" : "none";
    f.g.style.opacity = f.w > w ? 0.6 : 1;
    f.rect.setAttribute("x", from * wide);
    f.rect.setAttribute("width", Math.max(0, room - 0.5));
    f.text.setAttribute("x", from * wide + 3);
    f.text.textContent = fit(f.name, room);
  });
  frames.forEach((f) => f.g.addEventListener("click", () => zoom(f.x, f.w)));
  const found = svg.querySelector(".found");
  const search = () => {
    const word = prompt("Regular expression of the functions to mark:");
    let of = null;
    try { of = word ? new RegExp(word) : null; } catch (e) { alert(e.message); return; }
    let marked = [];
    frames.forEach((f) => {
      const is = of !== null && of.test(f.name);
      f.rect.classList.toggle("hit", is);
      if (is && !marked.some((m) => m.x <= f.x && f.x + f.w <= m.x + m.w)) marked.push(f);
    });
    const part = marked.reduce((sum, m) => sum + m.w, 0);
    found.textContent = of === null ? "Search" : `${word}: ${(part * 100).toFixed(1)} %`;
  };
  found.addEventListener("click", search);
  window.addEventListener("keydown", (e) => {
    if (e.key === "Escape") zoom(0, 1);
    if (e.key === "/") { e.preventDefault(); search(); }
  });
})();
