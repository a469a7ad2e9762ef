"""The routes of Azure Personalizer, so that programs that were written for it ask a learner of this service."""
