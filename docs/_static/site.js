// Code and tables that scroll sideways take the keyboard's focus, so that the arrow keys scroll them, and are marked for
// the style sheet, which shows that they scroll.
const boxes = "pre, .table-wrapper, .cell_output .output";

function markScrollable() {
  for (const box of document.querySelectorAll(boxes)) {
    const scrolls = box.scrollWidth > box.clientWidth;
    box.classList.toggle("scrolls", scrolls);
    if (scrolls) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", box.matches("pre") ? "Code" : "Table");
    } else {
      box.removeAttribute("tabindex");
    }
    markEnd(box);
  }
}

function markEnd(box) {
  box.classList.toggle("scrolled-to-end", box.scrollLeft + box.clientWidth >= box.scrollWidth - 1);
}

window.addEventListener("load", () => {
  markScrollable();
  for (const box of document.querySelectorAll(boxes)) {
    box.addEventListener("scroll", () => markEnd(box), { passive: true });
  }
});
window.addEventListener("resize", markScrollable);
