"""How rich a class is: growth, VC dimension, Rademacher complexity, covers, codes."""
