"""The child process that serves a GGUF file; run as a script by `embedded`.

Standard library and xllamacpp only. Settings arrive as one JSON line on stdin, the
address leaves as one JSON line on stdout. The process ends when stdin does: that is,
with its parent, however the parent ends. A crash of the native code ends only this
process.
"""

import json
import sys
from importlib import import_module


def serve() -> None:
    """Serve until stdin ends."""
    # An extra that may be missing where types are checked, and has none.
    xllamacpp = import_module("xllamacpp")
    settings = json.loads(sys.stdin.readline())
    parameters = xllamacpp.CommonParams()
    parameters.model.path = settings["path"]
    parameters.model_alias = {settings["alias"]}  # else the path is in every answer
    parameters.api_keys = [settings["key"]]  # other users of this machine stay out
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = settings["context_tokens"]
    parameters.n_parallel = 1
    parameters.n_threads_http = 2
    parameters.cpuparams.n_threads = settings["threads"]
    parameters.cpuparams_batch.n_threads = settings["threads"]
    # A reused prompt prefix is computed in other batches, which changes the last bits
    # and with them the answer: equal requests must get equal answers.
    parameters.cache_prompt = False
    parameters.cache_ram_mib = 0
    parameters.ui = False
    parameters.verbosity = 0
    server = xllamacpp.Server(parameters)
    sys.stdout.write(json.dumps({"address": server.listening_address}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve()
