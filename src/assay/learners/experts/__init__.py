"""Policies that listen to experts and do nearly as well as the best of them."""
