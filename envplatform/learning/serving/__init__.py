"""A base model with its adapter behind an OpenAI-compatible server on this machine.

For evaluating what was trained as any other model is: the rollouts ask a URL. One
answer at a time, greedy or drawn by the request's seed: a small server for small models
and for tests, not a fast one. For speed serve the merged model with vLLM.
"""
