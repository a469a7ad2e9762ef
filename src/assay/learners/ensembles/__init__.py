"""Learners made of many learners: bags, forests and boosting."""
