/* What every page needs: theme, copy buttons, countdowns, toasts, dialogs and keys. Each of them
   is a comfort: without this file all links and forms still work. */
"use strict";
(() => {
  const root = document.documentElement;
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];

  /* Theme: auto, light, dark. The cookie lets the server write the attribute, so nothing flashes. */
  const THEMES = ["auto", "light", "dark"];
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-theme-form]");
    if (!form) return;
    event.preventDefault();
    const next = THEMES[(THEMES.indexOf(root.dataset.theme || "auto") + 1) % THEMES.length];
    if (next === "auto") delete root.dataset.theme; else root.dataset.theme = next;
    document.cookie = `theme=${next};path=/;max-age=31536000;samesite=lax`;
    $("button", form).setAttribute("aria-label", `Theme: ${next === "auto" ? "as the system" : next}`);
    document.dispatchEvent(new CustomEvent("guard:theme"));
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
    document.dispatchEvent(new CustomEvent("guard:theme")));

  /* Toasts: never the only answer, so they may be closed by themselves. */
  function toast(text) {
    const place = $("#toasts");
    if (!place) return;
    const box = document.createElement("div");
    box.className = "toast";
    box.textContent = text;
    place.append(box);
    setTimeout(() => box.remove(), 6000);
  }

  document.addEventListener("click", (event) => {
    const copy = event.target.closest("[data-copy]");
    if (copy) {
      const value = copy.dataset.copy || location.href;
      navigator.clipboard?.writeText(value).then(() => toast("Copied."), () => toast(value));
    }
    const shut = event.target.closest("[data-dismiss]");
    if (shut) shut.closest(".toast")?.remove();
    const open = event.target.closest("[data-dialog]");
    if (open) $(`#${open.dataset.dialog}`)?.showModal();
    const close = event.target.closest("[data-close]");
    if (close) close.closest("dialog")?.close();
    if (event.target.closest("[data-print]")) print();
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
  });

  /* Countdowns carry units and end in words. data-until is an instant in milliseconds. */
  function left(ms) {
    const s = Math.max(0, Math.floor(ms / 1000));
    const d = Math.floor(s / 86400), h = Math.floor(s / 3600) % 24, m = Math.floor(s / 60) % 60;
    if (d) return `${d} d ${h} h`;
    if (h) return `${h} h ${m} min`;
    return m ? `${m} min ${s % 60} s` : `${s} s`;
  }
  const skew = Number(document.body.dataset.now || Date.now()) - Date.now();
  function tick() {
    const now = Date.now() + skew;
    for (const at of $$("[data-until]")) {
      const ms = Number(at.dataset.until) - now;
      at.textContent = ms > 0 ? left(ms) : at.dataset.over || "over";
    }
    for (const bar of $$("progress[data-ends]")) bar.value = Math.max(0, Number(bar.dataset.ends) - now);
  }
  if ($("[data-until]")) tick();
  setInterval(tick, 1000);

  /* Keys. They move and open; a decision still asks in its own confirm step. */
  const rows = () => $$("[data-row]");
  function step(by, only = "[data-row]") {
    const all = $$(only);
    if (!all.length) return;
    const here = all.indexOf(document.activeElement.closest?.("[data-row]"));
    const next = all[Math.min(all.length - 1, Math.max(0, here < 0 ? (by > 0 ? 0 : all.length - 1) : here + by))];
    next.tabIndex = -1;
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  }
  const press = (name) => { const at = $(`[data-key="${name}"]`); if (at) at.click(); return Boolean(at); };
  const ACTIONS = {
    "?": () => $("#keys")?.showModal(),
    "/": () => $("#q")?.focus(),
    j: () => step(1), k: () => step(-1),
    d: () => press("d") || step(1, "[data-danger]"),
    Enter: () => document.activeElement.closest?.("[data-row]") === document.activeElement && $("a[href]", document.activeElement)?.click(),
    f: () => $("[data-filter]")?.focus(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
    const done = ACTIONS[event.key] ? ACTIONS[event.key]() !== false : press(event.shiftKey ? `Shift ${event.key.toLowerCase()}` : event.key);
    if (done && event.key !== "Enter") event.preventDefault();
  });

  /* New pages and parts keep the reader's place: only what is marked data-focus takes the focus.
     After load: Chromium takes the focus away when it scrolls to the address's #place. */
  addEventListener("load", () => requestAnimationFrame(() => $("[data-focus]")?.focus()));
  document.addEventListener("htmx:after:swap", () => { tick(); $("[data-focus]")?.focus(); });
  /* A session that ended answers with the sign-in page: it is loaded whole, never into a part. */
  document.addEventListener("htmx:before:swap", (event) => {
    if (new URL(event.detail.ctx?.response?.raw?.url || location.href).pathname.startsWith("/login")) {
      event.preventDefault();
      location.reload();
    }
  });
  document.addEventListener("htmx:error", () => toast("No answer from the server. What you see may be old; load the page again."));

  window.JG = { $, $$, toast, rows };
})();
