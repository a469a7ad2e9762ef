# Not for this process: the toy package registers its learner and its theorem where it is imported.
collect_ignore = ["journey.py", "toy"]
