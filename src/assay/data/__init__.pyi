# Not by `from`: it stands above this room, and lazy_loader knows names of this room alone.
import assay.learners.common.running_scale as _running_scale

from .bag_of_words import BagOfWords as BagOfWords
from .boolean_encoders import Booleans as Booleans
from .boolean_encoders import Literals as Literals
from .encode import Encoder as Encoder
from .encode import OneHot as OneHot
from .examples import Chunks as Chunks
from .examples import Examples as Examples
from .prepare import Preparation as Preparation
from .scale import BallScale as BallScale
from .scale import UnitLength as UnitLength
from .seeded_split import Split as Split
from .seeded_split import split as split
from .sign_labels import SignLabels as SignLabels
from .stored_encoder import encoder_from_json as encoder_from_json

RunningScale = _running_scale.RunningScale
