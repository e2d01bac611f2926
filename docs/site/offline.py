"""A website that is opened from a folder may start no worker, which the search needs; this script of npm's stands in."""

import shutil
from pathlib import Path

NODE_MODULES = Path(__file__).with_name("node_modules")
SCRIPT = "assets/javascripts/iframe-worker.js"


def on_config(config):
    config.extra.update(polyfills=[SCRIPT], generator=False)
    return config


def on_post_build(config):
    shutil.copy(NODE_MODULES / "iframe-worker" / "shim" / "index.js", Path(config.site_dir) / SCRIPT)
