"""The store as a Dagster resource."""

from pathlib import Path

import dagster as dg

from envplatform.store import Store


class StoreResource(dg.ConfigurableResource[Store]):
    """Opens the store of one home folder. Holds nothing open between uses."""

    home: str
    """Absolute path of the folder that outlives runs, $ENVPLATFORM_HOME."""

    def open(self) -> Store:
        """The store; its folder is created by the first write."""
        return Store(Path(self.home))
