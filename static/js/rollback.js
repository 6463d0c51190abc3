/* One value in four places: the handle in the figure, the slider, the number field, the address. */
"use strict";
(() => {
  const { $, $$ } = JG;
  const card = $("[data-rollback]");
  if (!card) return;
  const plot = $(".plot", card), canvas = $(".plot-canvas", plot);
  const hand = $("[data-hand]", card), text = $("[data-hand-text]", card), shade = $("[data-range]", card);
  const slider = $("#at", card), field = $("#to", card);
  const total = Number(card.dataset.total);
  let timer = 0;

  function area() {
    const axis = canvas._fullLayout?.xaxis;
    return axis ? { left: axis._offset, width: axis._length, range: axis.range } : null;
  }
  function place(to) {
    const at = area();
    if (!at) return;
    const share = (to - at.range[0]) / (at.range[1] - at.range[0]);
    const x = at.left + Math.min(1, Math.max(0, share)) * at.width;
    hand.style.left = `${x}px`;
    shade.style.left = `${x}px`;
    shade.style.width = `${Math.max(0, at.left + at.width - x)}px`;
    hand.hidden = shade.hidden = false;
    hand.classList.toggle("is-far", x > at.left + at.width * 0.75);
    text.textContent = `back to ${to.toLocaleString("en")}`;
    slider.parentElement.style.paddingLeft = `${at.left - 10}px`;
    slider.style.width = `${at.width + 20}px`;
    slider.style.marginLeft = "0";
  }
  function seqAt(clientX) {
    const at = area(), box = plot.getBoundingClientRect();
    const share = (clientX - box.left - at.left) / at.width;
    return clamp(Math.round(at.range[0] + share * (at.range[1] - at.range[0])));
  }
  const clamp = (value) => Math.min(total, Math.max(Math.min(1, total), Math.round(value) || 0));

  function choose(value, { now = false } = {}) {
    const to = clamp(value);
    field.value = to;
    slider.value = to;
    const row = $$("[data-stretch]").find((item) => Number(item.dataset.stretch) <= to && to <= Number(item.dataset.high));
    slider.setAttribute("aria-valuetext", row ? `${to}: ${row.textContent.replace(/\s+/g, " ").trim()}` : String(to));
    place(to);
    clearTimeout(timer);
    timer = setTimeout(() => ask(to), now ? 0 : 220);
  }
  function ask(to) {
    const query = new URLSearchParams(location.search);
    query.set("to", to);
    query.delete("part");
    history.replaceState(null, "", `${location.pathname}?${query}`);
    query.set("part", "answer");
    htmx.ajax("GET", `${card.dataset.here}?${query}`, { target: "#answer", swap: "outerHTML", source: card });
  }

  plot.addEventListener("guard:drawn", () => place(clamp(slider.value)));
  plot.addEventListener("guard:redrawn", () => place(clamp(slider.value)));
  addEventListener("resize", () => setTimeout(() => place(clamp(slider.value)), 150));
  slider.addEventListener("input", () => choose(slider.value));
  field.addEventListener("change", () => choose(field.value, { now: true }));

  let dragging = false;
  hand.addEventListener("pointerdown", (event) => { dragging = true; hand.setPointerCapture(event.pointerId); event.preventDefault(); });
  hand.addEventListener("pointermove", (event) => { if (dragging) choose(seqAt(event.clientX)); });
  hand.addEventListener("pointerup", (event) => { if (dragging) choose(seqAt(event.clientX), { now: true }); dragging = false; });
  plot.addEventListener("click", (event) => { if (event.target !== hand) choose(seqAt(event.clientX), { now: true }); });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-stretch] a");
    if (link && !event.metaKey && !event.ctrlKey) {
      event.preventDefault();
      choose(Number(link.closest("[data-stretch]").dataset.high), { now: true });
      return;
    }
    const step = event.target.closest("[data-step]");
    if (!step) return;
    const ends = $$("[data-stretch]").map((row) => Number(row.dataset.high)).sort((a, b) => a - b);
    const here = Number(slider.value);
    const next = step.dataset.step === "1" ? ends.find((end) => end > here) : ends.filter((end) => end < here).at(-1);
    if (next !== undefined) choose(next, { now: true });
  });
})();
