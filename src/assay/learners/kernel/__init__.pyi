from .program import program_of as program_of
from .smooth_losses import FOR_CLASSES as FOR_CLASSES
from .smooth_losses import SQUARED as SQUARED
from .smooth_losses import SmoothLoss as SmoothLoss
from .smooth_losses import huber as huber
from .smooth_losses import smooth_loss as smooth_loss
from .smooth_losses import squared_epsilon_insensitive as squared_epsilon_insensitive
