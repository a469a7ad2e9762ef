from sklearn.linear_model import SGDClassifier as Classifier
from sklearn.linear_model import SGDRegressor as Regressor

from assay.compiled.linear import losses
from assay.learners.common.linear_losses import FOR_CLASSES, FOR_NUMBERS, loss_code
from tests.refusals import refuses


def test_scikit_learns_names_and_the_textbooks_mean_the_same():
    assert loss_code("log_loss") == loss_code("logistic") == losses.LOGISTIC
    assert loss_code("squared_error") == loss_code("squared") == losses.SQUARED
    assert loss_code("epsilon_insensitive", FOR_NUMBERS) == losses.EPSILON_INSENSITIVE
    assert loss_code("squared_hinge", FOR_CLASSES) == losses.SQUARED_HINGE


def test_every_loss_of_scikit_learn_is_known():
    assert set(Classifier.loss_functions) < set(FOR_CLASSES)
    assert set(Regressor.loss_functions) < set(FOR_NUMBERS)


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
        "loss must be one of squared_error, squared, huber, epsilon_insensitive, "
        "squared_epsilon_insensitive, but is 'log_loss'."
    ):
        loss_code("log_loss", FOR_NUMBERS)
