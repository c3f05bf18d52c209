// Draws the figures that the server built. A colour written "--name" is a style sheet variable, read when drawing, so
// that charts follow the light or dark scheme. Everything else here is what Plotly needs to fit the page.
"use strict";
(function () {
  function resolved(value, styles) {
    if (typeof value === "string") return value.startsWith("--") ? styles.getPropertyValue(value).trim() : value;
    if (Array.isArray(value)) return value.map((item) => resolved(item, styles));
    if (value && typeof value === "object") {
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

  function draw(part) {
    const styles = getComputedStyle(document.documentElement);
    for (const box of part.querySelectorAll(".plot[data-figure]")) {
      const figure = resolved(JSON.parse(document.getElementById(box.dataset.figure).textContent), styles);
      figure.layout.font.family = styles.getPropertyValue("--sans");
      figure.layout.width = undefined;
      Plotly.react(box, figure.data, narrowed(figure.layout, box.clientWidth), options(box));
    }
  }

  function hideSubmits(part) {
    for (const select of part.querySelectorAll("select[data-submit]")) select.form.querySelector("[data-hide]").hidden = true;
  }

  function dress(part) {
    if (window.Plotly) draw(part);
    hideSubmits(part);
  }

  dress(document);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => window.Plotly && draw(document));
  document.addEventListener("change", (event) => {
    if (event.target.matches("select[data-submit]")) event.target.form.submit();
  });
  // Where a page fills in by itself, the old charts' figures and listeners go before the new ones are drawn.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.shouldSwap) event.detail.target.querySelectorAll(".js-plotly-plot").forEach((box) => Plotly.purge(box));
  });
  document.addEventListener("htmx:afterSettle", (event) => dress(event.target));
})();
