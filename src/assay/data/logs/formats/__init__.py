"""The formats of evaluation logs, a file each; `assay.data.logs.registry` finds them."""
