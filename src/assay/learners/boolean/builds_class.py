"""Learners whose class of concepts follows from parameters, so that a model file holds those alone."""

from __future__ import annotations

from typing import Any

from assay.learners.boolean.concept_class import ConceptClass
from assay.learners.boolean.concepts import build


class BuildsClass:
    """Base of these learners: with other parameters a file would be about other concepts than the fit."""

    concepts: Any

    def _build_class(self, width: int) -> ConceptClass:
        built = build(self.concepts, width)
        self._built_with = self._class_parameters()
        return built

    def _class_parameters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("concepts", "code") if hasattr(self, name)}

    def _require_saveable(self) -> None:
        """Refuse to be written to a file when the class has been given other parameters since."""
        for name, value in getattr(self, "_built_with", {}).items():
            if getattr(self, name) is not value:
                raise TypeError(f"{name} was set after the fit; fit it again, or set {name} back")
