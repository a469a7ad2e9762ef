"""Searches behind promises: the widest margin, the nearest point, the best comparator in hindsight."""
