"""Settings of Sphinx: `make site` builds these pages. Pages load nothing from other hosts."""

import logging
import sys
from pathlib import Path

from nbclient import NotebookClient

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `tools`

import shflbench

project = "shflbench"
version = release = shflbench.__version__
copyright = "the authors of shflbench"  # noqa: A001  (Sphinx's name for it)
language = "en"
extensions = ["myst_nb", "tools.docs.site"]
exclude_patterns = ["_static"]

# Markdown as on GitHub: headings have ids, and a link may lead to them.
myst_heading_anchors = 4
myst_url_schemes = ["http", "https", "mailto", "repository"]

# The notebook is executed by each build, and an error in it fails the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120  # seconds per cell; all of them take a few
nb_execution_show_tb = True
# Print errors of the kernel only: it warns of its port on this machine, which is open while the cells run.
NotebookClient.extra_arguments.default_args = (["--IPKernelApp.log_level=ERROR"],)
logging.getLogger("traitlets").setLevel(logging.WARNING)

# System fonts, and neither MathJax nor RequireJS, which would come from other hosts.
html_theme = "furo"
html_title = "shflbench"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
