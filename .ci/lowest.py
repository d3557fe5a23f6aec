"""Print the lowest versions that pyproject.toml admits, as arguments for pip."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
for requirement in project["dependencies"]:
    name, lowest = re.match(r"([\w-]+)>=([\d.]+)", requirement).groups()
    print(f"{name}=={lowest}.*" if lowest.count(".") < 2 else f"{name}=={lowest}")
