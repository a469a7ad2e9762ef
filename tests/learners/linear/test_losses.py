from assay.compiled import losses
from assay.learners.linear.losses import loss_code
from tests.refusals import refuses


def test_scikit_learns_names_and_the_textbooks_mean_the_same():
    assert loss_code("log_loss") == loss_code("logistic") == losses.LOGISTIC
    assert loss_code("squared_error") == loss_code("squared") == losses.SQUARED
    assert loss_code("epsilon_insensitive", numbers=True) == losses.EPSILON_INSENSITIVE


def test_refusals():
    known = (
        "hinge, perceptron, log_loss, logistic, squared_error, squared, exponential, "
        "epsilon_insensitive"
    )
    with refuses(f"loss must be one of {known}, but is 'modified_huber'."):
        loss_code("modified_huber")
    with refuses(f"loss must be one of {known}, but is 1."):
        loss_code(1)
    with refuses(
        "loss must be one of squared_error, squared, epsilon_insensitive, but is 'log_loss'."
    ):
        loss_code("log_loss", numbers=True)
