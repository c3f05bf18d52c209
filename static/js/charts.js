// Draws the Plotly figures of a page, each when its box comes near the screen. The page holds a figure as JSON in a script
// element that the box names in data-figure. Plotly is loaded after the page was painted. A colour written "--name" is a
// style sheet variable, read when drawing, so that charts follow the light or dark scheme.
//
// Other scripts draw through window.benchdash:
//   lazy(box, load)    load() promises a figure; it is drawn when the box comes near. Promises that it was drawn.
//   draw(box, figure)  draws or redraws now. Promises that it was drawn.
"use strict";
(function () {
  const plotly = document.currentScript.dataset.plotly;
  const drawn = new WeakMap(); // box -> its figure, before colours were resolved
  const texts = new WeakMap(); // box -> the JSON of the figure that it shows or waits for
  const waiting = new Map(); // box -> { load, done, figure, near }; see lazy
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const idly = window.requestIdleCallback || ((call) => setTimeout(call, 200));
  let script;

  // Only colours: a config may be called "--fast".
  function resolve(value, styles, key = "") {
    if (typeof value === "string") {
      return /color(way)?$/.test(key) && value.startsWith("--") ? styles.getPropertyValue(value).trim() : value;
    }
    if (Array.isArray(value)) return value.map((item) => resolve(item, styles, key));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, styles, key)]));
    }
    return value;
  }

  // On a small screen, long names beside an axis would take the width of the plot.
  function narrow(layout, width) {
    if (width > 560) return;
    for (const [key, axis] of Object.entries(layout)) {
      if (key.startsWith("yaxis") && axis.ticktext) {
        axis.ticktext = axis.ticktext.map((text) => {
          const signs = text.match(/&#?\w+;|./gsu) || []; // "&lt;" is one
          return signs.length > 15 ? [...signs.slice(0, 7), "…", ...signs.slice(-7)].join("") : text;
        });
      }
      if (key.startsWith("xaxis") && axis.ticktext && axis.ticktext.length > 4) {
        const shown = [...axis.ticktext.keys()].filter((at) => !["95", "99.99", "99.9999"].includes(axis.ticktext[at]));
        axis.tickvals = shown.map((at) => axis.tickvals[at]);
        axis.ticktext = shown.map((at) => axis.ticktext[at]);
      }
    }
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

  function loadPlotly() {
    if (window.Plotly) return Promise.resolve();
    script ||= new Promise((loaded, failed) => {
      const tag = document.createElement("script");
      tag.src = plotly;
      tag.onload = loaded;
      tag.onerror = () => {
        tag.remove();
        script = undefined; // so that it can be tried again
        failed(new Error("Plotly's script could not be loaded"));
      };
      document.head.append(tag);
    });
    return script;
  }

  function drawNow(box, figure) {
    const styles = getComputedStyle(document.documentElement);
    const { data, layout } = resolve(figure, styles);
    layout.font.family = styles.getPropertyValue("--sans");
    narrow(layout, box.clientWidth);
    drawn.set(box, figure);
    return Plotly.react(box, data, layout, options(box));
  }

  function draw(box, figure) {
    return loadPlotly().then(() => drawNow(box, figure));
  }

  function lazy(box, load) {
    return new Promise((done) => {
      waiting.set(box, { load, done });
      watcher.unobserve(box); // a box that is observed already would not be reported again
      watcher.observe(box);
      if (document.readyState === "complete") prepareLater(box);
    });
  }

  // Gets the figure and Plotly; draws where the box is near.
  function prepare(box, entry) {
    entry.prepared ||= Promise.all([entry.load(), loadPlotly()]).then(([figure]) => {
      entry.figure = figure;
      if (entry.near) finish(box, entry);
    });
    entry.prepared.catch(() => (entry.prepared = undefined));
    return entry.prepared;
  }

  function prepareLater(box) {
    idly(() => waiting.has(box) && prepare(box, waiting.get(box)).catch(() => {}));
  }

  function finish(box, entry) {
    if (waiting.get(box) !== entry) return; // a newer figure replaced this one
    waiting.delete(box);
    watcher.unobserve(box);
    box.setAttribute("role", "img");
    box.querySelector(":scope > .missed")?.remove();
    entry.done(drawNow(box, entry.figure));
  }

  function comesNear(box) {
    const entry = waiting.get(box);
    if (!entry) return;
    entry.near = true;
    if (entry.figure) finish(box, entry);
    else prepare(box, entry).catch(() => offerRetry(box));
  }

  function offerRetry(box) {
    const words = document.createElement("p");
    words.className = "missed muted small";
    words.textContent = "The chart did not come. ";
    const again = document.createElement("button");
    again.className = "second";
    again.textContent = "Try again";
    again.onclick = () => {
      words.remove();
      comesNear(box);
    };
    words.append(again);
    box.setAttribute("role", "group"); // screen readers do not reach a button inside an image
    box.querySelector(":scope > .missed")?.remove();
    box.prepend(words);
  }

  // One screen height ahead of the reader.
  const watcher = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => comesNear(entry.target)),
    { rootMargin: "100% 0px" },
  );

  // Printing waits for nothing: figures and Plotly are loaded while the page is idle, and drawn when printing begins. Paper
  // is white, so charts of a dark screen are printed in the colours of the light scheme.
  function beforePrint() {
    for (const [box, entry] of waiting) if (entry.figure) finish(box, entry);
    useLightColors(true);
  }

  function useLightColors(yes) {
    if (!dark.matches) return;
    document.documentElement.classList.toggle("printing", yes);
    redraw();
  }

  function redraw() {
    for (const box of document.querySelectorAll(".js-plotly-plot")) if (drawn.has(box)) drawNow(box, drawn.get(box));
  }

  function drawFiguresIn(part) {
    for (const box of part.querySelectorAll(".plot[data-figure]")) {
      const text = document.getElementById(box.dataset.figure).textContent;
      if (text === texts.get(box)) continue;
      texts.set(box, text);
      lazy(box, async () => JSON.parse(text));
    }
  }

  // A live page (see live.js) swaps a part of itself. A drawn chart is moved into the new part, where there is one of the
  // same id: it is drawn again only if its figure has changed, and the old one is shown until then.
  const FIGURES = "figure[id] > .plot[data-figure]";
  const leaving = new Map(); // id of a chart -> its box

  function beforeSwap(part) {
    leaving.clear();
    for (const box of part.querySelectorAll(`${FIGURES}.js-plotly-plot`)) leaving.set(box.parentNode.id, box);
    setTimeout(purgeRemoved, 0, [...part.querySelectorAll(".js-plotly-plot")]);
  }

  function afterSwap(part) {
    for (const fresh of part.querySelectorAll(FIGURES)) {
      const box = leaving.get(fresh.parentNode.id);
      if (!box || box.isConnected) continue;
      for (const { name, value } of fresh.attributes) if (name !== "class") box.setAttribute(name, value);
      fresh.replaceWith(box);
    }
  }

  function purgeRemoved(boxes) {
    for (const box of waiting.keys()) if (!box.isConnected) waiting.delete(box);
    for (const box of boxes) if (!box.isConnected) Plotly.purge(box);
  }

  window.benchdash = { lazy, draw };
  drawFiguresIn(document);
  window.addEventListener("load", () => [...waiting.keys()].forEach(prepareLater));
  window.addEventListener("beforeprint", beforePrint);
  window.addEventListener("afterprint", () => useLightColors(false));
  dark.addEventListener("change", redraw);
  document.addEventListener("htmx:beforeSwap", (event) => event.detail.shouldSwap && beforeSwap(event.detail.target));
  document.addEventListener("htmx:afterSwap", (event) => afterSwap(event.target));
  document.addEventListener("htmx:afterSettle", (event) => drawFiguresIn(event.target));
})();
