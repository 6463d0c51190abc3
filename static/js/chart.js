/* Draws figures that the server made. A figure is JSON of numbers, labels and token names: each
   "--token" becomes the computed colour of the theme, and again when the theme changes. */
"use strict";
(() => {
  const { $$ } = JG;
  const CONFIG = { displayModeBar: false, displaylogo: false, responsive: true, scrollZoom: false, doubleClick: false, showTips: false, showEditInChartStudio: false, showSendToCloud: false };
  const GUTTER = 104, RIGHT = 10;
  const figures = new WeakMap();

  function colours() {
    const probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
    const known = new Map();
    const read = (token) => {
      if (!known.has(token)) {
        probe.style.color = `var(${token})`;
        known.set(token, getComputedStyle(probe).color);
      }
      return known.get(token);
    };
    return { read, done: () => probe.remove() };
  }

  function paint(value, read) {
    if (typeof value === "string") return value.startsWith("--") ? read(value) : value;
    if (Array.isArray(value)) {
      return value.length && typeof value[0] === "number" ? value.slice() : value.map((item) => paint(item, read));
    }
    if (value && typeof value === "object") {
      const out = {};
      for (const key of Object.keys(value)) out[key] = paint(value[key], read);
      return out;
    }
    return value;
  }

  async function draw(plot, figure) {
    figures.set(plot, figure);
    const { read, done } = colours();
    const painted = paint({ data: figure.data, layout: figure.layout }, read);
    done();
    const config = { ...CONFIG, scrollZoom: plot.hasAttribute("data-zoom") };
    const first = !plot.classList.contains("is-drawn");
    await Plotly.react(plot.querySelector(".plot-canvas"), painted.data, painted.layout, config);
    plot.classList.add("is-drawn");
    const now = figure.meta?.now !== undefined && plot.parentElement.querySelector("[data-trend]");
    if (now) now.textContent = figure.meta.now;
    plot.classList.remove("is-stale");
    plot.dispatchEvent(new CustomEvent(first ? "guard:drawn" : "guard:redrawn", { detail: figure, bubbles: true }));
  }

  /* Pixels of the plotting area: the server bins to them. */
  function width(plot) {
    const all = plot.clientWidth || 640;
    return Math.round(Math.max(200, all < 600 ? all - 16 : all - GUTTER - RIGHT));
  }

  let asked = 0;
  async function load(plot, address) {
    const turn = ++asked;
    plot.dataset.turn = turn;
    const url = new URL(address || plot.dataset.figure, location.href);
    url.searchParams.set("w", width(plot));
    plot.classList.add("is-stale");
    plot.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(url, { headers: { Accept: "application/json" }, credentials: "same-origin", mode: "same-origin" });
      if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
      const figure = await answer.json();
      if (plot.dataset.turn === String(turn)) await draw(plot, figure);
      return figure;
    } catch (error) {
      plot.classList.remove("is-stale");
      const state = plot.querySelector(".plot-state");
      plot.classList.remove("is-drawn");
      if (state) state.textContent = `The figure could not be drawn: ${error.message} The table below holds the same facts; load the page again to try once more.`;
      return null;
    } finally {
      plot.removeAttribute("aria-busy");
    }
  }

  function all(from = document) {
    for (const plot of $$(".plot[data-figure]", from)) if (!plot.dataset.turn) load(plot);
  }
  document.addEventListener("guard:theme", () => {
    for (const plot of $$(".plot.is-drawn")) if (figures.has(plot)) draw(plot, figures.get(plot));
  });
  document.addEventListener("htmx:after:swap", () => all());
  JG.chart = { load, draw, width, figure: (plot) => figures.get(plot) };
  all();
})();
