"use strict";
(function () {
  const root = document.documentElement;

  // Light or dark: as the system has it, unless the reader chose. A file on disk may have no storage.
  const key = "shflbench-theme";
  const recall = () => { try { return localStorage.getItem(key); } catch { return null; } };
  const keep = (theme) => { try { localStorage.setItem(key, theme); } catch { /* the choice holds for this page */ } };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const button = document.getElementById("theme");
  const label = () => { button.textContent = isDark() ? "Light" : "Dark"; button.title = `Show in ${isDark() ? "light" : "dark"} colors`; };
  const known = recall();
  if (known === "light" || known === "dark") root.dataset.theme = known;
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keep(root.dataset.theme);
    label();
  });
  system.addEventListener("change", label);
  label();

  // Each table with a filter shows the rows that contain every word of it.
  for (const tools of document.querySelectorAll(".tools")) {
    const table = document.getElementById(tools.dataset.table);
    const input = tools.querySelector("input");
    const status = tools.querySelector("[role=status]");
    const texts = new WeakMap();
    const textOf = (row) => {
      if (!texts.has(row)) texts.set(row, [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase());
      return texts.get(row);
    };
    const apply = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = !words.every((word) => textOf(row).includes(word));
        shown += !row.hidden;
      }
      status.textContent = `${shown} of ${table.tBodies[0].rows.length} rows`;
    };
    tools.hidden = false;
    input.addEventListener("input", apply);
    apply();
  }
})();
