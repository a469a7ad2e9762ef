"""In the place of a database's client that OpenAI evals imports and that does not install here."""

import os
import sys
import types


class Absent(types.ModuleType):
    def __getattr__(self, name):
        return type(name, (), {})


sys.modules |= {
    name: Absent(name)
    for name in (
        *("snowflake", "snowflake.connector", "snowflake.connector.errors"),
        "evals.utils.snowflake",
    )
}
os.environ |= {"OPENAI_API_KEY": "none", "EVALS_SEQUENTIAL": "1", "EVALS_SHOW_EVAL_PROGRESS": ""}
