"""The engine: what an input of a function leads to, and which inputs lead elsewhere. Its rooms, bottom up:

- `terms`: expressions over the inputs, what they mean in Python, how they are evaluated and printed;
- `recording`: what a run leaves behind: its decisions with their places, and where terms were lost;
- `values`: concolic values, which carry a concrete value and a term, one module per builtin type;
- `sandbox`: a guarded child process that answers calls;
- `losses`: which code takes concolic values without telling, and what its answers give away;
- `worlds`: the target that the user names, and a fresh copy of its modules for every run;
- `models`: what a call of a builtin or library function gives when an argument is concolic;
- `contracts`: what a function promises, and the checks around a call;
- `inputs`: the shapes of a target's parameters: how an input is built and written down;
- `solver`: which input follows a path and then takes the other side;
- `rewritten`: the functions that rewritten code calls;
- `proposals`: inputs worth a run before anything is solved;
- `programs`: a target that can be run any number of times, here or in a child process;
- `search`: which input to run next, until every edge is covered or has a verdict;
- `peer`: the search of PEF on an untouched program, for comparison;
- `checking`: what breaks, confirmed on plain values, and two versions compared.
"""
