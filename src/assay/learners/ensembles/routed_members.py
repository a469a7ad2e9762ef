"""What scikit-learn's metadata routing hands on to the members of a vote."""

from __future__ import annotations

from typing import Any

from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from assay.errors import BadParameter


class RoutedMembers:
    """A vote whose members take what they ask for, by ``set_fit_request`` and the like."""

    def _template(self) -> Any:
        raise NotImplementedError

    def get_metadata_routing(self) -> MetadataRouter:
        """Which methods of the members are called by which of this one, and what each asks for.

        Returns
        -------
        MetadataRouter
        """
        member = self._template()
        asked = "predict_proba" if hasattr(member, "predict_proba") else "predict"
        logs = "predict_log_proba" if hasattr(member, "predict_log_proba") else asked
        mapping = MethodMapping()
        for caller, callee in (
            ("fit", "fit"),
            ("predict", asked),
            ("predict_proba", asked),
            ("predict_log_proba", logs),
            ("decision_function", "decision_function"),
        ):
            mapping.add(caller=caller, callee=callee)
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(estimator=member, method_mapping=mapping)
        )

    def _routed(self, caller: str, given: dict[str, Any]) -> dict[str, Any]:
        """What of the keywords given to a method goes to the members."""
        if not given:
            return {}
        if not get_config()["enable_metadata_routing"]:
            names = ", ".join(sorted(given))
            raise BadParameter(
                f"{caller} of {type(self).__name__} takes {names} only to hand them on to its members, which "
                "sklearn.set_config(enable_metadata_routing=True) switches on."
            )
        methods = process_routing(self, caller, **given).estimator
        handed = [keywords for keywords in methods.values() if keywords]
        return dict(handed[0]) if handed else {}
