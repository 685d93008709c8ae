"""How a control-flow graph is built: statements and expressions in, a draft of blocks and edges out."""
