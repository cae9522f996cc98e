"""The page in a real browser: load, step, edit, compare, share; by mouse and keyboard; wide, narrow, dark and light."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from narlab import algorithms, pretrained
from narlab.cli import main
from narlab.evaluation import predict
from narlab.evaluation.user_instances import as_dataset, how_much_is_right, read_inputs

pytestmark = [pytest.mark.page, pytest.mark.xdist_group("page")]

MODEL = "section.card[aria-label='The model']"
KINDS = {  # an algorithm of each kind of picture, and an element of it that there are n of
    "bellman_ford": ".picture.graph .node",
    "quicksort": ".picture.bars .bars",
    "floyd_warshall": ".picture.graph .node",
    "graham_scan": ".picture.points .point",
    "activity_selector": ".picture.intervals .interval",
    "naive_string_matcher": ".picture.strings .letter",
}


def settled(page):
    """Wait until nothing is computed and all is drawn."""
    page.locator("#app[aria-busy='false']").wait_for()
    return page


def choose(page, name):
    page.get_by_label("Algorithm", exact=True).select_option(name)
    page.locator(".card .name").first.get_by_text(name, exact=True).wait_for()
    return settled(page)


def instance(page):
    """The instance that the address holds, once it does."""
    page.wait_for_timeout(450)
    return page.evaluate(
        "JSON.parse(decodeURIComponent(location.hash.split('&').find((part) => part.startsWith('instance=')).slice(9)))"
    )


def text(page, selector):
    """What the first of these elements says, once all is drawn."""
    return settled(page).locator(selector).first.inner_text()


def place(page):
    return text(page, ".transport output")


def test_it_loads_with_truth_and_prediction(watched):
    page = watched.open()
    assert page.locator(".card").count() == 2
    assert page.locator(f"{MODEL} .node").count() == 16
    assert text(page, f"{MODEL} .legend .pill") == "right"
    assert text(page, f"{MODEL} .step") == "after step 16 of 16"


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_any_width_and_scheme(watched, width, scheme):
    page = watched.open(width=width, scheme=scheme)
    for name in ("dfs", "quicksort", "floyd_warshall"):
        choose(page, name)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (max(colour) < 60) == (scheme == "dark")
    left = page.locator(".card").evaluate_all("cards => cards.map((card) => card.getBoundingClientRect().left)")
    assert (len(set(left)) == 1) == (width == 400)


def test_it_steps(watched):
    page = watched.open()
    page.get_by_role("button", name="First step").click()
    assert (place(page), text(page, f"{MODEL} .step")) == ("0 / 47", "after step 1 of 16")
    page.get_by_role("button", name="One step forward").click()
    assert text(page, ".card .step") == "row 1 of 47"
    page.get_by_role("slider", name="Step").fill("20")
    assert text(page, f"{MODEL} .step") == "after step 7 of 16"
    page.locator(".column").nth(3).click()
    assert text(page, f"{MODEL} .step") == "after step 4 of 16"
    page.get_by_label("Speed").select_option("16")
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_text("47 / 47").wait_for()
    page.get_by_role("button", name="Play").wait_for()


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_instance_with_every_hint(watched, name):
    page = choose(watched.open(), name)
    nodes = len(instance(page)["pos"][0])
    assert page.locator(f"section.card:first-child {KINDS[name]}").count() == nodes
    told = text(page, ".hints")
    assert all(probe.name in told for probe in algorithms.get(name).hints)
    page.keyboard.press("Home")
    last = int(place(page).split(" / ")[1])
    for step in range(1, min(last, 12) + 1):
        page.keyboard.press("ArrowRight")
        assert place(page) == f"{step} / {last}"


def test_hints_are_those_of_the_algorithm(watched):
    page = choose(watched.open(), "bellman_ford")
    inputs = {name: np.array(values) for name, values in instance(page).items()}
    hints = algorithms.get("bellman_ford").execute(inputs).hints
    page.keyboard.press("Home")
    for row in range(hints["pi_h"].shape[1]):
        while text(page, ".card .step") != f"row {row} of {hints['pi_h'].shape[1] - 1}":
            page.keyboard.press("ArrowRight")
        cells = page.locator(".hints tr", has=page.locator("th", has_text="pi_h")).locator("td").all_inner_texts()
        assert cells == [str(v) for v in hints["pi_h"][0, row]]


def test_verdicts_differ_in_colour_and_shape(watched, rival):
    page = watched.open()
    page.get_by_label("Model", exact=True).select_option(rival)
    settled(page)
    page.keyboard.press("Home")
    card = page.locator(MODEL)
    assert text(page, f"{MODEL} .pill") == "wrong"
    assert card.locator(".node .badge.wrong circle + path").count() > 0
    assert card.locator(".node .badge.different > path:only-child").count() > 0
    looks = [
        card.locator(f".answer .{verdict} .line").first.evaluate(
            "line => [getComputedStyle(line).stroke, getComputedStyle(line).strokeDasharray].join()"
        )
        for verdict in ("right", "different", "wrong")
    ]
    assert len({look.partition(")")[0] for look in looks}) == len({look.partition(")")[2] for look in looks}) == 3
    reason = card.locator(".reasons button").first
    reason.click()
    card.locator(".halo").first.wait_for()
    assert reason.get_attribute("aria-pressed") == "true"


def test_edges_and_weights_are_edited(watched):
    page = choose(watched.open(), "bellman_ford")
    before = np.array(instance(page)["A"][0])
    u, v = next((u, v) for u in range(16) for v in range(u + 1, 16) if before[u, v] == 0)
    page.get_by_label("From node").select_option(str(u))
    page.get_by_label("And node").select_option(str(v))
    page.get_by_role("button", name="Add edge").click()
    settled(page)
    page.get_by_label("Weight").fill("0.01")
    settled(page)
    inputs = instance(page)
    assert (inputs["A"][0][u][v], inputs["A"][0][v][u], inputs["adj"][0][u][v]) == (0.01, 0.01, 1)
    check_truth_and_prediction(page, "bellman_ford", inputs)
    page.get_by_role("button", name="Remove edge").click()
    settled(page)
    np.testing.assert_array_equal(instance(page)["A"][0], before)
    page.get_by_label("Source").select_option("7")
    settled(page)
    assert instance(page)["s"][0].index(1) == 7


def check_truth_and_prediction(page, name, inputs):
    """What is drawn at the end is what the algorithm and the model answer."""
    page.keyboard.press("End")
    dataset = as_dataset(algorithms.get(name), inputs)
    predicted, truth = predict(pretrained(name), dataset)
    (output,) = truth
    (probe,) = algorithms.get(name).outputs
    found = how_much_is_right(probe, predicted[output], truth[output])
    assert text(page, f"{MODEL} .count") == f"{found.right_elements} of {found.elements} right"


def centre(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, start, end, *, shift=False):
    page.mouse.move(*start)
    if shift:
        page.keyboard.down("Shift")
    page.mouse.down()
    page.mouse.move(*end, steps=6)
    page.mouse.up()
    if shift:
        page.keyboard.up("Shift")
    settled(page)


def test_nodes_are_dragged_and_linked(watched):
    page = watched.open()
    first, second = page.locator(".card:first-child [data-node='0']"), page.locator(".card:first-child [data-node='8']")
    before, inputs = centre(page.locator(f"{MODEL} [data-node='0'] .disc")), instance(page)
    x, y = centre(first.locator(".disc"))
    drag(page, (x, y), (x + 40, y + 60))
    after = centre(page.locator(f"{MODEL} [data-node='0'] .disc"))
    assert (round(after[0] - before[0]), round(after[1] - before[1])) == (40, 60)
    assert instance(page) == inputs
    had = inputs["A"][0][0][8]
    drag(page, centre(first.locator(".disc")), centre(second.locator(".disc")), shift=True)
    assert instance(page)["A"][0][0][8] == 1 - had
    if had:
        drag(page, centre(first.locator(".disc")), centre(second.locator(".disc")), shift=True)
    page.keyboard.press("Delete")
    settled(page)
    assert instance(page)["A"][0][0][8] == 0


def test_two_clicks_choose_a_pair(watched):
    page = watched.open()
    for node in (3, 5):
        page.mouse.click(*centre(page.locator(f".card:first-child [data-node='{node}'] .disc")))
    page.evaluate("() => new Promise(requestAnimationFrame)")  # the page is drawn with the next frame
    assert [page.get_by_label(label).input_value() for label in ("From node", "To node")] == ["3", "5"]


def test_bars_are_dragged_and_keys_are_written(watched):
    page = choose(watched.open(), "quicksort")
    bar = page.locator(".card:first-child [data-node='3'] .value")
    x, y = centre(bar)
    drag(page, (x, y), (x, y - 60))
    assert instance(page)["key"][0][3] != pytest.approx(0.5449, abs=1e-3)
    page.get_by_label("key of node 5").fill("0.99")
    settled(page)
    inputs = instance(page)
    assert inputs["key"][0][5] == 0.99
    check_truth_and_prediction(page, "quicksort", inputs)


def test_points_are_dragged(watched):
    page = choose(watched.open(), "graham_scan")
    before = instance(page)
    x, y = centre(page.locator(".card:first-child [data-node='0'] .disc"))
    drag(page, (x, y), (x + 30, y))
    after = instance(page)
    assert after["x"][0][0] > before["x"][0][0]
    assert after["x"][0][1:] == before["x"][0][1:]
    check_truth_and_prediction(page, "graham_scan", after)


def test_letters_are_edited(watched):
    page = choose(watched.open(), "naive_string_matcher")
    page.get_by_label("Haystack").fill("aabbccddab")
    page.get_by_label("Needle").fill("ccd")
    settled(page)
    inputs = instance(page)
    assert "".join("abcd"[code.index(1)] for code in inputs["key"][0]) == "aabbccddabccd"
    check_truth_and_prediction(page, "naive_string_matcher", inputs)
    page.get_by_label("Needle").fill("xyz")
    assert "letters a to d" in page.get_by_role("alert").inner_text()


def test_what_can_not_be_is_refused_in_one_line(watched):
    page = choose(watched.open(), "topological_sort")
    before = instance(page)
    u, v = next((u, v) for u in range(16) for v in range(16) if before["A"][0][u][v])
    page.get_by_label("From node").select_option(str(v))
    page.get_by_label("To node").select_option(str(u))
    page.get_by_role("button", name="Add edge").click()
    settled(page)
    assert "cycl" in page.get_by_role("alert").inner_text()
    assert instance(page) == before
    expected = [
        f"error: Failed to load resource: the server responded with a status of 422 (Unprocessable {what})"
        for what in ("Content", "Entity")
    ]
    assert len(watched.complaints) == 1
    assert watched.complaints.pop() in expected  # Chromium itself says so


def test_size_family_and_seed(watched):
    page = watched.open()
    page.get_by_label("Size").fill("9")
    page.get_by_label("Size").press("Enter")
    settled(page)
    assert len(instance(page)["pos"][0]) == 9
    page.get_by_label("Graph family").fill("path")
    page.get_by_label("Graph family").press("Enter")
    settled(page)
    first = instance(page)
    assert sum(map(sum, first["adj"][0])) == 9 + 8
    page.get_by_role("button", name="Another").click()
    settled(page)
    assert instance(page) != first
    assert page.get_by_label("Seed").input_value() == "1"


def test_an_edit_is_followed_at_once(watched):
    page = choose(watched.open(), "quicksort")
    times = []
    for value in ("0.1", "0.3", "0.7", "0.9", "0.2"):
        page.get_by_label("key of node 5").fill(value)
        settled(page)
        times.append(int(text(page, ".status").removesuffix(" ms")))
    assert min(times) < 300


def test_it_says_that_it_computes(watched):
    page = watched.open()
    page.route("**/ask/scene", lambda route: (page.wait_for_timeout(300), route.continue_()))
    page.get_by_role("button", name="Another").click()
    page.get_by_text("computing").wait_for()
    settled(page)


def test_two_models_side_by_side(watched, rival):
    page = watched.open()
    page.get_by_label("Compare with").select_option(rival)
    page.locator(".card >> nth=2").wait_for()
    settled(page)
    assert page.locator(".card h2").all_inner_texts() == ["The algorithm", "Model A", "Model B"]
    assert page.locator(".card .name").all_inner_texts() == ["dfs", "dfs@triangle", rival]
    tops = page.locator(".card").evaluate_all("cards => cards.map((card) => card.getBoundingClientRect().top)")
    assert len(set(tops)) == 1
    page.keyboard.press("Home")
    steps = settled(page).locator(".card .step").all_inner_texts()
    assert steps[1] == steps[2] == "after step 1 of 16"
    page.get_by_label("Compare with").select_option("")
    page.locator(MODEL).wait_for()


def test_the_address_holds_everything(watched, rival):
    page = watched.open()
    page.get_by_label("Compare with").select_option(rival)
    settled(page)
    x, y = centre(page.locator(".card:first-child [data-node='2'] .disc"))
    drag(page, (x, y), (x - 50, y + 20))
    page.get_by_role("slider", name="Step").fill("11")
    page.get_by_role("button", name="Copy link").click()
    inputs = instance(page)
    other = watched.open(page.url)
    assert instance(other) == inputs
    assert place(other) == "11 / 47"
    assert other.locator(".card .name").all_inner_texts() == ["dfs", "dfs@triangle", rival]
    moved = [centre(each.locator(".card:first-child [data-node='2'] .disc")) for each in (page, other)]
    assert moved[0] == pytest.approx(moved[1], abs=2)


def download(page, label, path):
    with page.expect_download() as found:
        page.get_by_role("button", name=label).click()
    found.value.save_as(path)
    return path


def test_what_is_downloaded(watched, tmp_path):
    page = choose(watched.open(), "bellman_ford")
    path = download(page, "JSON", tmp_path / "mine.json")
    assert json.loads(path.read_text()) == instance(page)
    assert as_dataset(algorithms.get("bellman_ford"), read_inputs(path)).description.n == 16
    drawing = ET.parse(download(page, "SVG", tmp_path / "mine.svg")).getroot()
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(drawing.findall("{http://www.w3.org/2000/svg}svg")) == 2
    assert "class=" not in (tmp_path / "mine.svg").read_text()
    picture = download(page, "PNG", tmp_path / "mine.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 10_000


def focused(page):
    return page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent")


def tab_to(page, label):
    for _ in range(80):
        if focused(page) == label:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{label} is not reached by Tab")


def test_the_keyboard_is_enough(watched):
    page = watched.open()
    tab_to(page, "Algorithm")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
    assert outline == "2px"
    page.keyboard.type("quickso")
    page.locator(".card .name").first.get_by_text("quicksort", exact=True).wait_for()
    settled(page)
    tab_to(page, "Step")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert place(page).startswith("1 / ")
    tab_to(page, "Play")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press("Enter")
    tab_to(page, "key of node 2")
    page.keyboard.press("Control+a")
    page.keyboard.type("0.77")
    settled(page)
    assert instance(page)["key"][0][2] == 0.77
    page.evaluate("document.activeElement.blur()")
    before = place(page)
    page.keyboard.press("ArrowRight")
    assert place(page) != before
    page.keyboard.press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press(" ")


def test_keys_work_while_a_button_has_the_focus(watched, rival):
    page = watched.open()
    tab_to(page, "Compare with")
    page.keyboard.press("ArrowDown")
    page.locator(".card >> nth=2").wait_for()
    tab_to(page, "First step")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    assert place(page) == "1 / 47"


def test_an_algorithm_without_a_model(watched):
    page = choose(watched.open(), "heapsort")
    assert page.locator(".card").count() == 1
    assert page.get_by_label("Model", exact=True).is_disabled()


def test_one_file_without_a_server(watched, tmp_path):
    path = tmp_path / "lecture.html"
    main(["play", "dfs@triangle", "quicksort@triangle", "--n", "8", "--html", str(path)])
    page = watched.open(path.as_uri())
    assert page.locator(f"{MODEL} .node").count() == 8
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert place(page).startswith("1 / ")
    page.get_by_label("Instance").select_option("1")
    assert text(page, ".card .name") == "quicksort"
    assert page.locator(".editor").count() == 0
    download(page, "PNG", tmp_path / "mine.png")
    assert (tmp_path / "mine.png").stat().st_size > 10_000


def test_a_server_that_is_gone_is_one_line(watched):
    page = watched.open()
    page.route("**/ask/scene", lambda route: route.abort())
    page.get_by_role("button", name="Another").click()
    settled(page)
    assert "is `narlab play` still running?" in page.get_by_role("alert").inner_text()
    assert [line.split(":")[0] for line in watched.complaints] == ["error"]
    watched.complaints.clear()
