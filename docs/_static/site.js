// Code and tables that scroll sideways take the keyboard's focus, so that the arrow keys scroll them.
function markScrollable() {
  for (const box of document.querySelectorAll("pre, .table-wrapper, .cell_output .output")) {
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", box.matches("pre") ? "Code" : "Table");
    } else {
      box.removeAttribute("tabindex");
    }
  }
}
window.addEventListener("load", markScrollable);
window.addEventListener("resize", markScrollable);
