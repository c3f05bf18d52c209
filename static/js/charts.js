// Draws Plotly figures in place of pictures: charts over time when the reader points at one, and others when one is opened for
// zooming. Plotly is loaded with the first of them. A colour written "--name" is a style sheet variable, read when drawing, so that
// charts follow the light or dark scheme.
//
// Other scripts draw through window.benchdash:
//   lazy(box, show)    calls show() when the box comes near, and again where it failed and the reader asks for it. Promises that
//                      it succeeded. A second call for a box takes the first one's place.
//   draw(box, figure)  draws or redraws a figure, or the promise of one. Promises that it was drawn.
"use strict";
(function () {
  const plotly = document.currentScript.dataset.plotly;
  const drawn = new WeakMap(); // box -> its figure, before colours were resolved
  const waiting = new Map(); // box -> { show, done }
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
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
    drawn.set(box, figure);
    if (!box.classList.contains("js-plotly-plot")) box.replaceChildren();
    const name = box.dataset.name || "chart";
    const svg = {
      name: "Download as SVG",
      icon: Plotly.Icons.disk,
      click: (plot) => Plotly.downloadImage(plot, { format: "svg", filename: name }),
    };
    return Plotly.react(box, data, layout, {
      displaylogo: false,
      responsive: true,
      modeBarButtons: [["toImage", svg]],
      toImageButtonOptions: { format: "png", scale: 2, filename: name },
    });
  }

  function draw(box, figure) {
    return Promise.all([figure, loadPlotly()]).then(([ready]) => drawNow(box, ready));
  }

  function lazy(box, show) {
    return new Promise((done) => {
      waiting.set(box, { show, done });
      watcher.observe(box);
    });
  }

  function comesNear(box) {
    const entry = waiting.get(box);
    if (!entry) return;
    watcher.unobserve(box);
    entry.show().then(
      () => {
        if (waiting.get(box) === entry) waiting.delete(box);
        box.setAttribute("role", "img");
        entry.done();
      },
      () => waiting.get(box) === entry && offerRetry(box),
    );
  }

  function offerRetry(box) {
    box.querySelector(".missed")?.remove();
    const words = document.createElement("p");
    words.className = "missed muted small";
    words.textContent = "The chart could not be loaded. ";
    const again = document.createElement("button");
    again.className = "second";
    again.textContent = "Try again";
    again.onclick = () => {
      words.remove();
      comesNear(box);
    };
    words.append(again);
    box.setAttribute("role", "group"); // screen readers do not reach a button inside an image
    box.prepend(words);
  }

  // One screen height ahead of the reader.
  const watcher = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => comesNear(entry.target)),
    { rootMargin: "100% 0px" },
  );

  // Opens a chart for zooming in place of its picture, and closes it again.
  async function toggleZoom(button) {
    const chart = button.closest("figure");
    const picture = chart.querySelector(".fig");
    const open = chart.querySelector(".plot");
    button.closest("details").open = false;
    if (open) {
      Plotly.purge(open);
      open.remove();
    } else {
      const figure = await fetch(button.dataset.figure).then((response) => response.json());
      const box = document.createElement("div");
      box.className = "plot";
      box.dataset.name = chart.id;
      picture.after(box);
      await draw(box, figure);
    }
    picture.hidden = !open;
    button.textContent = open ? "Zoom" : "Close the zoom";
  }

  // A picture of twice the size, by way of the SVG file.
  async function savePng(link) {
    const text = await fetch(link.href).then((response) => response.text());
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width * 2, image.height * 2];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const save = document.createElement("a");
    save.href = canvas.toDataURL("image/png");
    save.download = link.download;
    save.click();
  }

  function clicked(event) {
    const zoom = event.target.closest("button[data-figure]");
    const png = event.target.closest("a[data-png]");
    if (zoom) toggleZoom(zoom);
    if (png) {
      event.preventDefault();
      savePng(png);
    }
  }

  // An entry of a picture's legend becomes a button that shows and hides its series.
  function makeToggle(entry) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.append(...entry.childNodes);
    button.setAttribute("aria-pressed", "true");
    button.onclick = () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      const series = button.closest(".fig").querySelectorAll(`.plots .${entry.dataset.series}`);
      for (const mark of series) mark.style.display = on ? "" : "none";
    };
    entry.replaceWith(button);
  }

  function showTools(part) {
    part.querySelectorAll(".chart-key [data-series]").forEach(makeToggle);
    part.querySelectorAll("[data-figure][hidden], [data-png][hidden]").forEach((tool) => (tool.hidden = false));
  }

  // Paper is white, so charts of a dark screen are printed in the colours of the light scheme.
  function useLightColors(yes) {
    if (!dark.matches) return;
    document.documentElement.classList.toggle("printing", yes);
    redraw();
  }

  function redraw() {
    for (const box of document.querySelectorAll(".js-plotly-plot")) if (drawn.has(box)) drawNow(box, drawn.get(box));
  }

  window.benchdash = { lazy, draw };
  showTools(document);
  document.addEventListener("click", clicked);
  window.addEventListener("beforeprint", () => useLightColors(true));
  window.addEventListener("afterprint", () => useLightColors(false));
  dark.addEventListener("change", redraw);
  document.addEventListener("htmx:afterSettle", (event) => showTools(event.target));
})();
