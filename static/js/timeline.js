/* Makes the timeline move: zoom, brush, next danger, the detail beside it. The range always stands
   in the address in sequence numbers, so a link carries what its sender saw. */
"use strict";
(() => {
  const { $, $$ } = JG;
  const card = $("[data-timeline]");
  const plot = card && $(".plot", card);
  if (!plot) return;
  const canvas = $(".plot-canvas", plot);
  const WIDTH = 1000;
  const whole = () => $("[data-whole]", card);
  let meta = null, timer = 0;

  const params = () => new URLSearchParams(location.search);
  const total = () => Number(meta?.total || whole()?.dataset.total || 1);
  const range = () => (meta ? [meta.from, meta.to] : [Number(whole().dataset.first), Number(whole().dataset.last)]);

  function address(first, last) {
    const query = params();
    query.delete("part");
    query.delete("after");
    if (first <= 1 && last >= total()) { query.delete("from"); query.delete("to"); } else { query.set("from", first); query.set("to", last); }
    return query;
  }

  function show(first, last, { now = false } = {}) {
    const most = Math.max(2, total());
    const wide = Math.min(most - 1, Math.max(1, Math.round(last - first)));
    const low = Math.min(Math.max(1, Math.round(first)), most - wide);
    const high = low + wide;
    paintBrush(low, high);
    clearTimeout(timer);
    timer = setTimeout(() => fetchRange(low, high), now ? 0 : 140);
  }

  async function fetchRange(low, high) {
    const query = address(low, high);
    history.replaceState(null, "", `${location.pathname}?${query}${location.hash}`);
    const url = new URL(plot.dataset.figure, location.href);
    url.search = query.toString();
    const figure = await JG.chart.load(plot, url);
    if (!figure) return;
    const rows = new URL(card.dataset.rows, location.href);
    rows.search = query.toString();
    rows.searchParams.set("part", "rows");
    htmx.ajax("GET", rows.pathname + rows.search, { target: "#rows", swap: "outerHTML", source: "#rows" });
  }

  function paintBrush(low, high) {
    const brush = $("[data-brush]", card);
    if (!brush) return;
    const x0 = ((low - 1) / Math.max(1, total() - 1)) * WIDTH, x1 = ((high - 1) / Math.max(1, total() - 1)) * WIDTH;
    brush.setAttribute("x", x0);
    brush.setAttribute("width", Math.max(2, x1 - x0));
    const text = $("[data-range]", card);
    if (text) text.textContent = `${low.toLocaleString("en")} to ${high.toLocaleString("en")} of ${total().toLocaleString("en")}`;
  }

  /* Places on the time axis become numbers by the samples that the server sent. */
  function seqOf(x) {
    const at = meta?.seqs || [];
    if (!at.length) return x;
    const n = at.findIndex(([place]) => place >= x);
    if (n <= 0) return n === 0 ? at[0][1] : at.at(-1)[1];
    const [[x0, a], [x1, b]] = [at[n - 1], at[n]];
    return x1 > x0 ? a + ((x - x0) / (x1 - x0)) * (b - a) : b;
  }

  function onDrawn(event) {
    meta = event.detail.meta;
    paintBrush(meta.from, meta.to);
    if (event.type === "guard:drawn") listen();
    markPicked();
  }
  plot.addEventListener("guard:drawn", onDrawn);
  plot.addEventListener("guard:redrawn", onDrawn);

  function listen() {
    canvas.on("plotly_relayout", (change) => {
      const low = change["xaxis.range[0]"] ?? change["xaxis.range"]?.[0];
      const high = change["xaxis.range[1]"] ?? change["xaxis.range"]?.[1];
      if (low !== undefined && high !== undefined) show(seqOf(low), seqOf(high));
    });
    canvas.on("plotly_click", (event) => {
      const key = event.points.map((point) => point.customdata?.[0]).find(Boolean);
      if (key) pick(key);
    });
  }

  /* Picking loads the part beside the figure; the same address works as a plain link. */
  function pick(key) {
    const query = params();
    query.set("pick", key);
    query.delete("part");
    history.replaceState(null, "", `${location.pathname}?${query}${location.hash}`);
    query.set("part", "detail");
    htmx.ajax("GET", `${card.dataset.rows}?${query}`, { target: "#detail", swap: "outerHTML", source: "#detail" }).then(markPicked);
    for (const row of $$("[data-row]")) row.toggleAttribute("aria-selected", false);
    const row = $$("[data-row]").find((item) => item.dataset.row === key);
    if (row) row.setAttribute("aria-selected", "true");
  }

  /* A ring around the mark that the detail is about. */
  function markPicked() {
    const key = params().get("pick") || $("[data-picked]")?.dataset.picked;
    const data = canvas.data;
    if (!data || !key) return;
    const at = data.map((trace, n) => [trace, n, (trace.customdata || []).findIndex((row) => row?.[0] === key)]).find(([trace, , n]) => n >= 0 && trace.type === "scatter");
    const ring = data.findIndex((trace) => trace.meta === "ring");
    if (!at) { if (ring >= 0) Plotly.deleteTraces(canvas, ring); return; }
    const [trace, , n] = at;
    const colour = getComputedStyle(document.documentElement).getPropertyValue("color");
    const probe = $("#detail a, .brand .i");
    const line = probe ? getComputedStyle(probe).color : colour;
    const next = { type: "scatter", mode: "markers", meta: "ring", x: [trace.x[n]], y: [trace.y[n]], yaxis: trace.yaxis, hoverinfo: "skip", cliponaxis: false, showlegend: false, marker: { symbol: "circle-open", size: 28, color: line, line: { width: 2, color: line } } };
    if (ring >= 0) Plotly.deleteTraces(canvas, ring);
    Plotly.addTraces(canvas, next);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-pick]");
    if (link && link.getAttribute("href").startsWith("?") && !event.metaKey && !event.ctrlKey) {
      event.preventDefault();
      pick(link.closest("[data-row]").dataset.row);
      $("#dt")?.focus();
      return;
    }
    const act = event.target.closest("[data-do]")?.dataset.do;
    if (!act) return;
    const [first, last] = range(), middle = (first + last) / 2, half = (last - first) / 2;
    if (act === "in") show(middle - half / 2, middle + half / 2, { now: true });
    if (act === "out") show(middle - half * 2, middle + half * 2, { now: true });
    if (act === "all") show(1, total(), { now: true });
    if (act === "earlier") show(first - half, last - half, { now: true });
    if (act === "later") show(first + half, last + half, { now: true });
    if (act === "danger") nextDanger();
  });

  /* Next danger: in the figure and in the table the same one. */
  function nextDanger() {
    const seqs = $$("tr[data-danger]").map((row) => [Number(row.dataset.seq), row]);
    if (!seqs.length) { JG.toast("No danger in this range. Zoom out to look further."); return; }
    const here = Number(card.dataset.danger || 0);
    const [seq, row] = seqs.find(([at]) => at > here) || seqs[0];
    card.dataset.danger = seq;
    pick(row.dataset.row);
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }

  /* The strip: drag to choose a part, or click to go there. */
  let from = null;
  const place = (event) => {
    const box = whole().getBoundingClientRect();
    return 1 + (Math.min(Math.max(event.clientX - box.left, 0), box.width) / box.width) * (total() - 1);
  };
  card.addEventListener("pointerdown", (event) => {
    const strip = event.target.closest("[data-whole]");
    if (!strip) return;
    from = place(event);
    strip.setPointerCapture(event.pointerId);
  });
  card.addEventListener("pointermove", (event) => { if (from !== null) paintBrush(...[from, place(event)].sort((a, b) => a - b).map(Math.round)); });
  card.addEventListener("pointerup", (event) => {
    if (from === null) return;
    const to = place(event), wide = range()[1] - range()[0];
    if (Math.abs(to - from) < total() / 200) show(to - wide / 2, to + wide / 2, { now: true });
    else show(Math.min(from, to), Math.max(from, to), { now: true });
    from = null;
  });

  /* New events: the head is asked for every few seconds; when it moved on from the one that the
     page was made with, all other parts follow. The figure may be of a later head than the page. */
  let told = $("#head")?.dataset.head;
  document.addEventListener("htmx:after:swap", () => {
    const head = $("#head")?.dataset.head;
    if (!meta || !head || head === told) { markPicked(); return; }
    const all = meta.from <= 1 && meta.to >= meta.total;
    told = head;
    if (!$("[data-picked]")) htmx.ajax("GET", `${card.dataset.rows}?part=detail`, { target: "#detail", swap: "outerHTML", source: "#detail" });
    htmx.ajax("GET", `${card.dataset.rows}?part=whole`, { target: "#whole", swap: "outerHTML", source: "#whole" });
    fetchRange(meta.from, all ? Number.MAX_SAFE_INTEGER : meta.to);
  });

  let resized = 0;
  let wide = plot.clientWidth;
  addEventListener("resize", () => {
    if (plot.clientWidth === wide) return;
    wide = plot.clientWidth;
    clearTimeout(resized);
    resized = setTimeout(() => meta && fetchRange(meta.from, meta.to), 250);
  });
})();
