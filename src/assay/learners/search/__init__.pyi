from .comparator_store import Hindsight as Hindsight
from .near_minimiser import NearMachine as NearMachine
from .near_minimiser import intercepts as intercepts
from .near_minimiser import kept_rows as kept_rows
from .near_minimiser import reach_of as reach_of
from .nearest_point import by_interior_points as by_interior_points
from .nearest_point import by_least_squares as by_least_squares
from .nearest_point import polished as polished
