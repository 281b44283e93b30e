"""Data sets of a hub, over HTTP from a server of our own."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from envplatform.configuration import FixSourceSettings
from envplatform.errors import FixSourceError
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.sources.opening import open_source
from tests.swe.fixes.sources.hub_server import COMMIT, serve_hub
from tests.swe.fixes.sources.made_rows import issue_row

pytest.importorskip("huggingface_hub")


def _parquet(*numbers: int) -> bytes:
    rows = [issue_row(number) for number in numbers]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    return bytes(sink.getvalue())


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No token of whoever runs this, and no proxy between us and ourselves."""
    for name in ("HF_TOKEN", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def _settings(**more: str) -> FixSourceSettings:
    return FixSourceSettings.model_validate({"hub": "made/fixes", **more})


def _ids(tmp_path: Path, url: str, **more: str) -> list[str]:
    source = open_source(_settings(**more), cache=tmp_path, hub_endpoint=url)
    return [
        entry.instance_id for entry in source.read() if isinstance(entry, FixInstance)
    ]


def test_shards_of_the_chosen_split_are_read_in_order(tmp_path: Path) -> None:
    files = {
        "README.md": b"# made",
        "data/test-00001-of-00002.parquet": _parquet(3),
        "data/test-00000-of-00002.parquet": _parquet(1, 2),
        "data/train-00000-of-00001.parquet": _parquet(4),
    }
    with serve_hub(files) as hub:
        ids = _ids(tmp_path, hub.url, split="test")
    assert ids == ["o__r-1", "o__r-2", "o__r-3"]
    assert not [line for line in hub.requests if "train" in line or "README" in line]


def test_all_splits_are_read_if_none_is_chosen(tmp_path: Path) -> None:
    files = {
        "dev.jsonl": (json.dumps(issue_row(1)) + "\n").encode(),
        "test.jsonl": (json.dumps(issue_row(2)) + "\n").encode(),
    }
    with serve_hub(files) as hub:
        assert _ids(tmp_path, hub.url) == ["o__r-1", "o__r-2"]


def test_files_are_asked_for_at_the_commit_and_only_once(tmp_path: Path) -> None:
    with serve_hub({"data/train.parquet": _parquet(1)}) as hub:
        _ids(tmp_path, hub.url)
        _ids(tmp_path, hub.url)
    gets = [line for line in hub.requests if line.startswith("GET /datasets")]
    assert gets == [f"GET /datasets/made/fixes/resolve/{COMMIT}/data/train.parquet"]


def test_the_digest_names_commit_files_and_settings(tmp_path: Path) -> None:
    with serve_hub({"a/train.parquet": b"", "a/test.parquet": b""}) as hub:
        digests = {
            open_source(each, cache=tmp_path, hub_endpoint=hub.url).digest()
            for each in (
                _settings(),
                _settings(),
                _settings(split="train"),
                _settings(split="test"),
                _settings(licence="MIT"),
            )
        }
    assert len(digests) == 4
    assert not [line for line in hub.requests if "resolve" in line]


def test_an_unknown_split_names_those_there_are(tmp_path: Path) -> None:
    with (
        serve_hub({"data/train-00000-of-00001.parquet": b""}) as hub,
        pytest.raises(FixSourceError, match=r"split 'dev'; there are: 'train'"),
    ):
        _ids(tmp_path, hub.url, split="dev")


def test_a_path_out_of_the_set_is_refused(tmp_path: Path) -> None:
    with (
        serve_hub({"../../train.parquet": b""}) as hub,
        pytest.raises(FixSourceError, match="not a clean relative path"),
    ):
        _ids(tmp_path, hub.url)


@pytest.mark.parametrize("name", ["made/other", "made", "../made/fixes", "a/b/c"])
def test_an_unknown_set_is_named_with_the_remedy(tmp_path: Path, name: str) -> None:
    with serve_hub({}) as hub:
        source = open_source(_settings(hub=name), cache=tmp_path, hub_endpoint=hub.url)
        with pytest.raises(FixSourceError, match=name):
            source.digest()


def test_a_hub_out_of_reach_is_named(tmp_path: Path) -> None:
    with serve_hub({}) as hub:
        url = hub.url
    with pytest.raises(FixSourceError, match=r"made/fixes can't be looked up"):
        _ids(tmp_path, url)


def test_the_token_is_sent_and_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_made0secret")
    with serve_hub({}) as hub:
        settings = _settings(hub="made/gated")
        source = open_source(settings, cache=tmp_path, hub_endpoint=hub.url)
        with pytest.raises(FixSourceError) as caught:
            source.digest()
    assert hub.tokens == ["Bearer hf_made0secret"]
    assert "secret" not in f"{caught.value} {source!r}"


def test_without_the_extra_the_message_says_what_to_install() -> None:
    """In a process of its own that can't import the client."""
    program = (
        "import sys; sys.modules['huggingface_hub'] = None\n"
        "from pathlib import Path\n"
        "from envplatform.swe.fixes.sources.hub import HubSource\n"
        "HubSource(name='a', repository='a/b', cache=Path('none')).digest()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode
    assert "FixSourceError: hub data set a/b needs huggingface_hub: pip" in done.stderr
    assert "envplatform[hub]" in done.stderr


def test_a_download_that_breaks_off_is_named(tmp_path: Path) -> None:
    with serve_hub({"data/train.jsonl": b"x"}) as hub:
        source = open_source(_settings(), cache=tmp_path, hub_endpoint=hub.url)
        source.digest()
        hub.files = {}
        with pytest.raises(FixSourceError, match=r"'data/train.jsonl' can't be down"):
            list(source.read())
