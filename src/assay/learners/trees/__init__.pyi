from .error_pruning import error_pruned as error_pruned
from .error_pruning import globally_pruned as globally_pruned
from .error_pruning import pessimistic_rate as pessimistic_rate
from .pruning import leaf_costs as leaf_costs
