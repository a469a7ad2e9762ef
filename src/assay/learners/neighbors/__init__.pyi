from .cells import kd_cells as kd_cells
from .cells import kd_search as kd_search
