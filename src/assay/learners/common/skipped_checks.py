"""The checks of scikit-learn that learners do not pass, each with its reason; a class names its own."""

from __future__ import annotations

#: The one check that no learner runs.
NOT_RUN = {
    "check_array_api_input": "scikit-learn runs it only where SCIPY_ARRAY_API is set before the start"
}

#: Those that machines found by a search leave out.
WITHIN_TOLERANCE = NOT_RUN | dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "a weighted sample and one with repeated rows end in different places within the tolerance of the "
    "search, and gamma='scale' reads the rows as they are given",
)

# The checks of scikit-learn that make up features of their own.
_WITH_OTHER_FEATURES = (
    "check_classifier_data_not_an_array",
    "check_classifiers_classes",
    "check_classifiers_train",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_estimators_partial_fit_n_features",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit2d_1feature",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_non_transformer_estimators_n_iter",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
    "check_supervised_y_2d",
)

#: Those that learners of boolean features leave out.
_OTHER = "it uses features other than 0 and 1, which boolean learners refuse"
OTHER_FEATURES = NOT_RUN | dict.fromkeys(_WITH_OTHER_FEATURES, _OTHER)

#: Those that boolean learners with a weight for each feature leave out.
OTHER_FEATURES_AND_WEIGHTS = OTHER_FEATURES | {"check_sparsify_coefficients": _OTHER}
