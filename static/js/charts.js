// Fetches the figures that the server built and draws them, each when its box comes near the screen; Plotly's script
// comes with the first. A colour written "--name" is a style sheet variable, read when drawing, so that charts follow the
// light or dark scheme. Everything else here is what Plotly needs to fit the page.
//
// Other scripts draw through window.benchdash:
//   lazy(box, load)    load() promises a figure; it is drawn when the box comes near. Promises that it was drawn.
//   draw(box, figure)  draws (or redraws) now. Promises that it was drawn.
//   fetched(address)   promises the JSON there, fetched once however often it is asked for.
//   resolved(value)    the same with its colours put in.      options(box)  Plotly's third argument.
"use strict";
(function () {
  const plotly = document.currentScript.dataset.plotly;
  const MOST_KEPT = 50; // figures; a page that fills in by itself for hours must not keep each
  const asked = new Map(); // address -> promise of its JSON
  const shown = new WeakMap(); // box -> the figure drawn in it, as it came
  const asFetched = new WeakMap(); // box -> the address of the figure drawn in it, or that it waits for
  const waiting = new Map(); // box -> what it waits for; see lazy
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let script;

  function resolved(value, styles = getComputedStyle(document.documentElement)) {
    if (typeof value === "string") return value.startsWith("--") ? styles.getPropertyValue(value).trim() : value;
    if (Array.isArray(value)) return value.map((item) => resolved(item, styles));
    if (value && typeof value === "object" && !ArrayBuffer.isView(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolved(item, styles)]));
    }
    return value;
  }

  // Long names beside an axis would take a small screen for themselves.
  function narrowed(layout, width) {
    if (width > 560) return layout;
    for (const [key, axis] of Object.entries(layout)) {
      if (key.startsWith("yaxis") && axis.ticktext) {
        axis.ticktext = axis.ticktext.map((text) => (text.length > 15 ? text.slice(0, 7) + "…" + text.slice(-7) : text));
      }
      if (key.startsWith("xaxis") && axis.ticktext && axis.ticktext.length > 4) {
        const kept = axis.ticktext.map((text, at) => at).filter((at) => !["95", "99.99", "99.9999"].includes(axis.ticktext[at]));
        axis.tickvals = kept.map((at) => axis.tickvals[at]);
        axis.ticktext = kept.map((at) => axis.ticktext[at]);
      }
    }
    return layout;
  }

  function options(box) {
    const name = box.dataset.name || "chart";
    const svg = {
      name: "Download as SVG",
      icon: Plotly.Icons.disk,
      click: (plot) => Plotly.downloadImage(plot, { format: "svg", filename: name }),
    };
    return {
      displaylogo: false,
      responsive: true,
      modeBarButtons: [["toImage", svg]],
      toImageButtonOptions: { format: "png", scale: 2, filename: name },
    };
  }

  function ready() {
    if (window.Plotly) return Promise.resolve();
    script ||= new Promise((loaded, failed) => {
      const tag = document.createElement("script");
      tag.src = plotly;
      tag.onload = loaded;
      tag.onerror = () => {
        tag.remove();
        script = undefined; // so that it can be tried again
        failed(new Error("Plotly's script did not come"));
      };
      document.head.append(tag);
    });
    return script;
  }

  async function json(address) {
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    if (!answer.ok || answer.redirected) throw new Error(`${address} was answered with ${answer.status}`);
    return answer.json();
  }

  function fetched(address) {
    if (!asked.has(address)) {
      if (asked.size >= MOST_KEPT) asked.delete(asked.keys().next().value);
      asked.set(address, json(address));
      asked.get(address).catch(() => asked.delete(address));
    }
    return asked.get(address);
  }

  function drawNow(box, figure) {
    const styles = getComputedStyle(document.documentElement);
    const { data, layout } = resolved(figure, styles);
    layout.font.family = styles.getPropertyValue("--sans");
    layout.width = undefined;
    shown.set(box, figure);
    return Plotly.react(box, data, narrowed(layout, box.clientWidth), options(box));
  }

  function draw(box, figure) {
    return ready().then(() => drawNow(box, figure));
  }

  // What a box waits for: `come` promises its figure, `figure` is it once it is there, `near` says that it is wanted now.
  function lazy(box, load) {
    return new Promise((drawn) => {
      const want = { load, drawn };
      waiting.set(box, want);
      watcher.unobserve(box); // what is watched already would not be told of again
      watcher.observe(box);
      if (document.readyState === "complete") idly(() => come(box, want).catch(() => {}));
    });
  }

  function come(box, want) {
    want.come ||= Promise.all([want.load(), ready()]).then(([figure]) => {
      want.figure = figure;
      if (want.near) finish(box, want);
    });
    want.come.catch(() => (want.come = undefined));
    return want.come;
  }

  function finish(box, want) {
    if (waiting.get(box) !== want) return; // another figure has come in its place
    waiting.delete(box);
    watcher.unobserve(box);
    box.setAttribute("role", "img");
    box.querySelector(":scope > .missed")?.remove();
    want.drawn(drawNow(box, want.figure));
  }

  function arrive(box) {
    const want = waiting.get(box);
    if (!want) return;
    want.near = true;
    if (want.figure) finish(box, want);
    else come(box, want).catch(() => missed(box));
  }

  function missed(box) {
    const words = document.createElement("p");
    words.className = "missed muted small";
    words.textContent = "The chart did not come. ";
    const again = document.createElement("button");
    again.className = "second";
    again.textContent = "Try again";
    again.onclick = () => {
      words.remove();
      arrive(box);
    };
    words.append(again);
    box.setAttribute("role", "group"); // in an image nobody finds a button
    box.querySelector(":scope > .missed")?.remove();
    box.prepend(words);
  }

  // A screen's height ahead of where the reader is.
  const watcher = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => arrive(entry.target)),
    { rootMargin: "100% 0px" },
  );
  const idly = window.requestIdleCallback || ((call) => setTimeout(call, 200));

  // A printer waits for nothing: what is far down is fetched while the page is idle, and drawn when printing begins.
  function fetchTheRest() {
    for (const [box, want] of waiting) idly(() => come(box, want).catch(() => {}));
  }
  function drawForPaper() {
    for (const [box, want] of waiting) if (want.figure) finish(box, want);
    onPaper(true);
  }

  // Paper is white: what was drawn for a dark screen is drawn in the light scheme's colours while it is printed.
  function onPaper(yes) {
    if (!dark.matches) return;
    document.documentElement.classList.toggle("printing", yes);
    redraw();
  }

  function redraw() {
    for (const box of document.querySelectorAll(".js-plotly-plot")) if (shown.has(box)) drawNow(box, shown.get(box));
  }

  function find(part) {
    for (const box of part.querySelectorAll(".plot[data-src]")) {
      const address = box.dataset.src;
      if (address === asFetched.get(box)) continue;
      asFetched.set(box, address);
      lazy(box, () => fetched(address));
    }
  }

  // A page that fills in by itself brings new boxes. Where a chart of that name is drawn, it moves into the new page as it
  // is: what has not changed is not drawn again, and what has is seen until its figure is there.
  const leaving = new Map(); // id of a chart -> its box
  function leave(part) {
    leaving.clear();
    for (const box of part.querySelectorAll("figure[id] > .plot[data-src].js-plotly-plot")) leaving.set(box.parentNode.id, box);
    setTimeout(purgeGone, 0, [...part.querySelectorAll(".js-plotly-plot")]);
  }

  function takeOver(part) {
    for (const fresh of part.querySelectorAll("figure[id] > .plot[data-src]")) {
      const box = leaving.get(fresh.parentNode.id);
      if (!box || box.isConnected) continue;
      for (const { name, value } of fresh.attributes) if (name !== "class") box.setAttribute(name, value);
      fresh.replaceWith(box);
    }
  }

  // Figures and listeners of charts that found no place.
  function purgeGone(boxes) {
    for (const box of waiting.keys()) if (!box.isConnected) waiting.delete(box);
    for (const box of boxes) if (!box.isConnected) Plotly.purge(box);
  }

  window.benchdash = { lazy, draw, fetched, resolved, options };
  find(document);
  if (document.readyState === "complete") fetchTheRest();
  else window.addEventListener("load", fetchTheRest);
  window.addEventListener("beforeprint", drawForPaper);
  window.addEventListener("afterprint", () => onPaper(false));
  dark.addEventListener("change", redraw);
  document.addEventListener("htmx:beforeSwap", (event) => event.detail.shouldSwap && leave(event.detail.target));
  document.addEventListener("htmx:afterSwap", (event) => takeOver(event.target));
  document.addEventListener("htmx:afterSettle", (event) => find(event.target));
})();
