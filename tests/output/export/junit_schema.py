"""The schema of JUnit XML that Jenkins' xUnit plugin has, the strictest one in use."""

from xml.etree import ElementTree as ET

# junit-10.xsd of Jenkins' xUnit plugin: each element's attributes, the required ones first, and what it may hold.
COUNTS = {"tests", "failures", "errors"}
SCHEMA: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", *COUNTS}, {"testsuite"}),
    "testsuite": ({"name", *COUNTS}, {"time", "skipped", "timestamp", "hostname", "id"}, {"properties", "testcase"}),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": ({"name"}, {"time", "classname"}, {"skipped", "error", "failure", "system-out"}),
    "error": (set(), {"type", "message"}, set()),
    "failure": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"type", "message"}, set()),
    "system-out": (set(), set(), set()),
}


def require_valid(root: ET.Element) -> None:
    """Assert that each element has the attributes and children that the schema requires and allows."""
    for element in root.iter():
        required, allowed, children = SCHEMA[element.tag]
        assert required <= set(element.attrib) <= required | allowed
        assert {child.tag for child in element} <= children
