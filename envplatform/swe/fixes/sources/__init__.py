"""Published fixes in any layout, each brought to `FixInstance`.

    base          what a source is: a name, a digest, a stream of instances
    opening       settings of `[[fixes.sources]]` -> the source they name
    files, hub    rows of local files, and of a data set on a Hugging Face hub
    bugsinpy      folders of the BugsInPy collection
    layouts/      one row of a known layout -> `FixInstance`

Reads only what is written in the row: no history, no release, no patch is opened
here. A row that can't be brought to the schema is a `QuarantinedRow` and costs no
other; a source that can't be read at all raises `FixSourceError`.
"""
