#!/usr/bin/env python3
"""What runs the server elsewhere (containers, Kubernetes, systemd) agrees with the server, and with itself: names of
settings and metrics, ports, users, folders, and the time that an end takes. Schemas are looked at by
tools/packaging/check."""
import pathlib
import re
import tomllib
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGING = ROOT / "packaging"
BASE = PACKAGING / "kubernetes" / "base"
AUTOSCALING = PACKAGING / "kubernetes" / "autoscaling"
DOCKERFILE = (PACKAGING / "container" / "Dockerfile").read_text()
SETTINGS = (ROOT / "apps" / "serve" / "settings.cc").read_text()
NAME = {"app.kubernetes.io/name": "pleiad"}


def documents(folder):
    """(file's name, document) of each object in a folder's YAML files, but what only names others."""
    found = []
    for path in sorted(folder.glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            if document.get("kind") not in ("Kustomization", "Component") and "kind" in document:
                found.append((path.name, document))
    return found


def of_kind(folder, kind):
    return [document for _, document in documents(folder) if document["kind"] == kind]


def seconds(text):
    """"1m40s" -> 100."""
    parts = re.findall(r"(\d+)(h|m|s)", text)
    assert parts and "".join(map("".join, parts)) == text, text
    return sum(int(number) * {"h": 3600, "m": 60, "s": 1}[unit] for number, unit in parts)


def default_of(setting):
    """The default value in the server's table."""
    return re.search(r'\{"%s", "[A-Z_]*", \w+, "([^"]*)"' % setting, SETTINGS)[1]


def of_name(document, pattern):
    """Every {"name": ...} in it whose name the pattern is found in: variables of containers, wherever they stand."""
    if isinstance(document, dict):
        if isinstance(document.get("name"), str) and pattern.search(document["name"]):
            yield document
        document = list(document.values())
    if isinstance(document, list):
        for part in document:
            yield from of_name(part, pattern)


def pod():
    return of_kind(BASE, "StatefulSet")[0]["spec"]["template"]["spec"]


def config():
    kustomization = yaml.safe_load((BASE / "kustomization.yaml").read_text())
    return dict(literal.split("=", 1) for literal in kustomization["configMapGenerator"][0]["literals"])


class Names(unittest.TestCase):
    def test_every_variable_is_one_of_the_programs(self):
        known = {"PLEIAD_" + name for name in re.findall(r'\{"[a-z-]+", "([A-Z_]+)"', SETTINGS)}
        self.assertGreater(len(known), 25)
        known |= set(re.findall(r'variable\("(PLEIAD_\w+)"', (ROOT / "apps/common/environment.cc").read_text()))
        known |= {"PLEIAD_COMMIT"}  # cmake/WriteCommit.cmake
        named = 0
        for path in PACKAGING.rglob("*"):
            if path.is_file() and path.suffix != ".cc":
                for name in set(re.findall(r"\bPLEIAD_[A-Z_]+\b", path.read_text())):
                    self.assertIn(name, known, path)
                    named += 1
        self.assertGreater(named, 15)

    def test_what_is_scaled_by_is_measured_and_adapted(self):
        metrics = (ROOT / "apps/serve/metrics.cc").read_text()
        scaled = [metric["pods"]["metric"]["name"]
                  for metric in of_kind(AUTOSCALING, "HorizontalPodAutoscaler")[0]["spec"]["metrics"]]
        self.assertEqual(len(scaled), 2)
        for name in scaled:
            self.assertRegex(metrics, r'gauge\(\s*"%s"' % name)
        rules = yaml.safe_load((AUTOSCALING / "prometheus-adapter.yaml").read_text())["rules"]["custom"]
        self.assertEqual([rule["name"]["as"] for rule in rules], scaled)
        for rule in rules:
            self.assertTrue(rule["seriesQuery"].startswith(rule["name"]["as"] + "{"))

    def test_more_running_answers_than_there_can_be_are_not_waited_for(self):
        for metric in of_kind(AUTOSCALING, "HorizontalPodAutoscaler")[0]["spec"]["metrics"]:
            if metric["pods"]["metric"]["name"] == "pleiad_answers_running":
                self.assertLess(int(metric["pods"]["target"]["averageValue"]), int(default_of("parallel")))

    def test_selectors_select_the_servers_pods_and_no_others(self):
        template = of_kind(BASE, "StatefulSet")[0]["spec"]["template"]
        self.assertEqual(template["metadata"]["labels"], NAME)
        for kind, n in (("Service", 2), ("StatefulSet", 1), ("PodDisruptionBudget", 1), ("NetworkPolicy", 1)):
            found = of_kind(BASE, kind)
            self.assertEqual(len(found), n)
            for document in found:
                spec = document["spec"]
                selector = spec.get("podSelector") or spec.get("selector")
                self.assertEqual(selector if kind == "Service" else selector["matchLabels"], NAME, kind)
        self.assertEqual(of_kind(AUTOSCALING, "PodMonitor")[0]["spec"]["selector"]["matchLabels"], NAME)
        names = {document["metadata"]["name"] for document in of_kind(BASE, "Service")}
        self.assertIn(of_kind(BASE, "StatefulSet")[0]["spec"]["serviceName"], names)

    def test_kustomizations_name_every_file(self):
        for folder in (BASE, AUTOSCALING):
            named = set(yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"])
            self.assertEqual(named, {name for name, _ in documents(folder)})


class Times(unittest.TestCase):
    def test_kubernetes_waits_for_running_answers(self):
        server = pod()["containers"][0]
        sleep = server["lifecycle"]["preStop"]["sleep"]["seconds"]
        self.assertGreaterEqual(pod()["terminationGracePeriodSeconds"], sleep + seconds(config()["PLEIAD_GRACE"]) + 10)

    def test_compose_waits_for_running_answers(self):
        service = yaml.safe_load((PACKAGING / "container/compose.yaml").read_text())["services"]["pleiad"]
        self.assertGreaterEqual(seconds(service["stop_grace_period"]), seconds(default_of("grace")) + 5)


class Confinement(unittest.TestCase):
    def test_containers_in_kubernetes_are_those_of_the_image(self):
        user = int(re.search(r"^USER (\d+):(\d+)$", DOCKERFILE, re.M)[1])
        self.assertEqual((pod()["securityContext"]["runAsUser"], pod()["securityContext"]["fsGroup"]), (user, user))
        port = int(re.search(r"^EXPOSE (\d+)$", DOCKERFILE, re.M)[1])
        self.assertIn(f":{port}", default_of("host"))
        self.assertEqual(pod()["containers"][0]["ports"], [{"name": "http", "containerPort": port}])
        volume = re.search(r"^VOLUME (\S+)$", DOCKERFILE, re.M)[1]
        for container in pod()["containers"] + pod()["initContainers"]:
            self.assertEqual([mount["mountPath"] for mount in container["volumeMounts"]], [volume])

    def test_pods_meet_the_restricted_standard(self):
        self.assertTrue(pod()["securityContext"]["runAsNonRoot"])
        self.assertEqual(pod()["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
        self.assertFalse(pod()["automountServiceAccountToken"])
        for container in pod()["containers"] + pod()["initContainers"]:
            self.assertEqual(container["securityContext"], {
                "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}})

    def test_compose_confines_the_server(self):
        service = yaml.safe_load((PACKAGING / "container/compose.yaml").read_text())["services"]["pleiad"]
        self.assertEqual((service["read_only"], service["cap_drop"], service["security_opt"]),
                         (True, ["ALL"], ["no-new-privileges:true"]))
        for port in service["ports"]:
            self.assertTrue(port.startswith("127.0.0.1:"))

    def test_no_key_stands_in_a_file(self):
        n_asked = 0
        for path in PACKAGING.rglob("*"):
            if not path.is_file():
                continue
            for value in re.findall(r"API_KEY *[=:] *[\"']?(\S+)", path.read_text()):
                self.assertRegex(value, r"^\$(\{PLEIAD_API_KEY:\?|\(openssl$)", path)
                n_asked += 1
        self.assertGreaterEqual(n_asked, 3)
        for name, document in documents(BASE) + documents(AUTOSCALING):
            self.assertNotEqual(document["kind"], "Secret")
            for entry in of_name(document, re.compile("KEY")):
                self.assertNotIn("value", entry, name)
                self.assertEqual(list(entry["valueFrom"]), ["secretKeyRef"], name)
                n_asked += 1
        self.assertGreaterEqual(n_asked, 4)

    def test_the_file_of_compose_with_the_key_goes_nowhere(self):
        self.assertIn("PLEIAD_API_KEY=", (PACKAGING / "container/compose.yaml").read_text().splitlines()[1])
        for name, line in ((".gitignore", ".env"), (".dockerignore", "**/.env")):
            self.assertIn(line, (ROOT / name).read_text().splitlines(), name)
        exclude = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]["sdist"]["exclude"]
        self.assertIn(".env", exclude)


if __name__ == "__main__":
    unittest.main()
