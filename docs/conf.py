"""How the documentation is built; nothing is fetched from anywhere on the way."""

from __future__ import annotations

import sys
from pathlib import Path

import assay

# Not this folder itself: numba would take `coverage.py` for the package of that name.
sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "assay"
author = "The assay developers"
copyright = author
version = release = assay.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
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

# Beside the pages, and written there by `extensions/offline.py`.
mathjax_path = "mathjax/tex-svg.js"

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

# The scripts of the gallery are run while the pages are built; unchanged ones are not run again.
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": "plot_",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("plotly_pages.scraper",),
    "reset_modules": (),
    "capture_repr": (),
    "download_all_examples": False,
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "remove_config_comments": True,
    "abort_on_example_error": False,
}


def plain_words(app, doctree):
    """In the type of a parameter, a word like *name* is a word, and no link to whatever has that name."""
    from sphinx.addnodes import pending_xref

    for node in doctree.findall(pending_xref):
        if node.get("refspecific") and node["reftarget"].islower() and "." not in node["reftarget"]:
            del node["refspecific"]


def setup(app):
    from notes_pages import FromNotes
    from offline import report_remote_pages, write_mathjax
    from plotly_pages import write_script
    from public_names import resolve
    from theorem_sources import print_sources

    app.add_directive("from-notes", FromNotes)
    app.connect("doctree-read", plain_words)
    app.connect("doctree-read", print_sources)
    app.connect("missing-reference", resolve)
    app.connect("build-finished", write_script)
    app.connect("build-finished", write_mathjax)
    app.connect("build-finished", report_remote_pages)
