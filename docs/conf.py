"""How the documentation is built; nothing is fetched from anywhere on the way."""

from __future__ import annotations

import assay

project = "assay"
author = "The assay developers"
copyright = author
version = release = assay.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]
# A single back-quoted word is a name: a link where there is one, code where there is none.
default_role = "py:obj"

# Docstrings number their references, and need not cite each of them.
suppress_warnings = ["ref.footnote"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

html_theme = "pydata_sphinx_theme"
html_title = f"assay {release}"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
