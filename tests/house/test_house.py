"""The house keeps its order: includes go one way, the registry lists what is in methods/, and so on."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "sightglass"

# What each room may look into, besides itself.
MAY_INCLUDE = {
    "base": set(),
    "numeric": {"base"},
    "data": {"base", "numeric"},
    "model": {"base", "numeric", "data"},
    "learn": {"base", "numeric", "data", "model", "result"},
    "result": {"base"},
    "methods": {"base", "numeric", "data", "model", "learn", "result"},
    "plans": {"base", "numeric", "data", "model", "learn", "result", "methods"},
    "insight": {"base", "result"},
    "render": {"base", "result", "insight"},
}


def sources(*patterns):
    return sorted(path for pattern in patterns for path in SOURCE.rglob(pattern))


def includes(path):
    return re.findall(r'^#include [<"]([^">]+)[">]', path.read_text(encoding="utf-8"), re.MULTILINE)


def library_sources():
    return [path for path in sources("*.h", "*.cpp") if not path.name.endswith("_test.cpp")]


def test_every_caveat_is_explained():
    """docs/caveats.md knows every id that the library can raise: as a heading, or in its table."""
    ids = set()
    for path in (ROOT / "src").rglob("*.cpp"):
        if path.name.endswith("_test.cpp"):
            continue
        for value in re.findall(r"\{\.id = ([^,]*),", path.read_text()):
            names = re.findall(r'"([a-z-]+)"', value)
            assert names or re.fullmatch(r"[a-z_.]+", value), (path, value)  # a variable hands on what others wrote
            ids.update(names)
    assert len(ids) > 40
    text = (ROOT / "docs" / "caveats.md").read_text()
    assert sorted(name for name in ids if f"`{name}`" not in text and f"## {name}\n" not in text) == []


def test_includes_go_one_way():
    wrong = []
    for path in library_sources():
        room = path.relative_to(SOURCE).parts[0]
        if room == "sightglass.h":  # the front door, through which one sees every room
            continue
        for name in includes(path):
            if not name.startswith("sightglass/"):
                continue
            other = name.split("/")[1]
            if other != room and other not in MAY_INCLUDE[room]:
                wrong.append(f"{path.relative_to(ROOT)} includes {name}")
    assert not wrong, "\n".join(wrong)


def method_headers():
    """Headers that declare a method: name of the function -> header. Other files in methods/ are machinery."""
    found = {}
    for path in sorted((SOURCE / "methods").rglob("*.h")):
        for name in re.findall(
            r"^(?:\[\[nodiscard\]\] )?MethodEntry (\w+)\(\);", path.read_text(encoding="utf-8"), re.MULTILINE
        ):
            found[name] = path
    return found


def test_methods_do_not_include_one_another():
    methods = {f"sightglass/{path.relative_to(SOURCE)}": path.stem for path in method_headers().values()}
    wrong = []
    for path in library_sources():
        if path.relative_to(SOURCE).parts[0] != "methods" or path.stem in ("registry", "all_methods"):
            continue
        wrong += [
            f"{path.relative_to(ROOT)} includes {name}"
            for name in includes(path)
            if methods.get(name, path.stem) != path.stem
        ]
    assert not wrong, "\n".join(wrong)


def test_registry_lists_what_is_in_methods():
    declared = method_headers()
    assert len(declared) > 10
    assert {name: path.stem for name, path in declared.items()} == {name: name for name in declared}
    registry = (SOURCE / "methods" / "all_methods.h").read_text(encoding="utf-8")
    entries = re.search(r"return \{(.*?)\};", registry, re.DOTALL).group(1)
    assert set(declared) == set(re.findall(r"(\w+)\(\)", entries)), "the list in all_methods.h"
    typed = re.findall(r"^\[\[nodiscard\]\] inline Result (\w+)\(", registry, re.MULTILINE)
    assert set(declared) == set(typed), "the functions with typed options in all_methods.h"


def test_every_method_has_a_docs_page():
    for name in method_headers():
        page = ROOT / "docs" / f"{name.replace('_', '-')}.md"
        assert page.exists(), f"{name} has no page {page.name}"


def test_public_headers_need_only_the_standard_library():
    wrong = []
    for path in sources("*.h"):
        if path.name.endswith("_internal.h"):
            continue
        for name in includes(path):
            standard = re.fullmatch(r"[a-z_]+", name) is not None
            if not standard and not name.startswith("sightglass/"):
                wrong.append(f"{path.relative_to(ROOT)} includes {name}")
            if name.endswith("_internal.h"):
                wrong.append(f"{path.relative_to(ROOT)} includes {name}, which is not installed")
    assert not wrong, "\n".join(wrong)


def test_options_can_be_named_in_cpp():
    """A base struct would keep programs from writing ale(model, data, {.features = {"temp"}})."""
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sources("*.h")
        for name in re.findall(r"^struct (\w+Options) : ", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert found == []


def test_no_folder_is_called_utils():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert not [name for name in tracked if re.search(r"(^|/)(utils?|common|helpers?)(/|\.)", name)]


def test_files_stay_readable():
    for path in library_sources():
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 600, path


def test_types_have_names_of_their_own():
    """Two structs of one name in two headers are one symbol to the linker, and one of them is then destroyed as the other.
    Specialisations of a template are no types of their own."""
    seen = {}
    for path in sources("*.h"):
        text = path.read_text(encoding="utf-8")
        space = re.search(r"^namespace (sightglass[\w:]*) \{", text, re.MULTILINE)
        for name in set(re.findall(r"^(?:struct|class|enum class) (\w+)(?![\w<])[^;{]*\{", text, re.MULTILINE)):
            seen.setdefault((space and space.group(1), name), []).append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in seen.items() if len(paths) > 1} == {}


def catalogue_words():
    """Names of methods, as their entries have them, and of losses and measures."""
    names = set()
    for path in sorted([*(SOURCE / "methods").rglob("*.cpp"), *(SOURCE / "plans").rglob("*.cpp")]):
        text = path.read_text(encoding="utf-8")
        if not path.name.endswith("_test.cpp") and re.search(r"^MethodEntry \w+\(\) \{", text, re.MULTILINE):
            names.update(re.findall(r'\.(?:name|alias) = "([a-z-]+)"', text))
    losses = re.findall(
        r'"([a-z0-9 -]+)"', "".join((SOURCE / "result" / f"loss_kind.{end}").read_text() for end in ("h", "cpp"))
    )
    assert len(names) > 20 and len(set(losses)) > 10
    return names | set(losses)


# Literals that decide something though they look like words, and why they may.
MAY_DECIDE = {
    "h",  # hours, of a duration
}


def test_words_decide_nothing():
    """Behind the methods nothing depends on a method's name, on that of a measure, or on words that people read: what a
    result is comes with it as data (result/method_info.h, estimand.h, importance_measure.h, shapes/figure.h)."""
    known = catalogue_words()
    literal = r'"((?:[^"\\]|\\.)*)"'
    compared = re.compile(rf"(?:[=!]= |\b(?:starts_with|ends_with|contains|compare|rfind)\(){literal}|{literal} [=!]= ")
    sought = re.compile(rf"\bfind\({literal}")  # most of all the keys of an object
    wrong = []
    folders = [SOURCE / room for room in ("render", "insight", "plans")] + [ROOT / "cli"]
    for path in sorted(path for folder in folders for ending in ("*.h", "*.cpp") for path in folder.rglob(ending)):
        if path.name.endswith("_test.cpp"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            words = [a or b for a, b in compared.findall(line)]
            prose = [
                word for word in [*words, *sought.findall(line)] if re.search(r"[A-Za-z]{2,} |[A-Za-z]{2,}: ?$", word)
            ]
            for word in {*(word for word in words if word in known), *prose} - MAY_DECIDE:
                wrong.append(f'{path.relative_to(ROOT)}:{number} decides by "{word}"')
    assert not wrong, "\n".join(wrong)


def test_renderers_know_no_method():
    """Not even in a table: names that are also those of families and chapters apart."""
    shared = {"interactions", "performance", "decomposition"}
    names = {word for word in catalogue_words() if "-" in word or word in {"ice", "shap", "pfi", "pdp"}} - shared
    wrong = []
    for path in library_sources():
        if path.relative_to(SOURCE).parts[0] not in ("render", "insight"):
            continue
        code = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        found = set(re.findall(r'"([a-z-]+)"', code)) & names
        wrong += [f"{path.relative_to(ROOT)}: {name}" for name in sorted(found)]
    assert not wrong, "\n".join(wrong)


def test_the_library_knows_no_flags():
    """Words of the library refer to options and arguments (base/text.h); the command line alone makes flags of them."""
    flag = re.compile(r'"(?:[^"\\]|\\.)*(?<![\w-])--[a-z](?:[^"\\]|\\.)*"')
    wrong = []
    for path in library_sources():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if flag.search(re.sub(r"(^|\s)//.*", "", line)):
                wrong.append(f"{path.relative_to(ROOT)}:{number} {line.strip()}")
    assert not wrong, "\n".join(wrong)


def test_every_learner_has_a_docs_page():
    listed = (SOURCE / "learn" / "all_learners.h").read_text(encoding="utf-8")
    names = re.findall(r"(\w+)\(\)", re.search(r"return \{(.*?)\};", listed, re.DOTALL).group(1))
    assert len(names) >= 5
    for name in names:
        entry = (SOURCE / "learn" / f"{name}.cpp").read_text(encoding="utf-8")
        kind = re.search(r'\bname = "([a-z0-9-]+)"', entry).group(1)
        assert (ROOT / "docs" / f"{kind}.md").exists(), f"{kind} has no page"
