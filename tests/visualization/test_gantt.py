import pytest

import hippo
from hippo.errors import HippoError
from hippo.simulation import SimulatedWorkload, Work, simulate
from hippo.visualization import plot_gantt

pytest.importorskip("plotly")


def simulation(**options):
    workload = SimulatedWorkload(seconds_per_step=60.0, start_s=30.0, save_s=5.0)
    tuner = hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}, {"lr": 0.3}], until=4)
    return simulate(tuner, workload, slots=3, **options)


@pytest.mark.slow
def test_a_gantt_chart_has_a_bar_for_each_interval():
    simulated = simulation()
    figure = plot_gantt(simulated.intervals, title="three")
    assert sum(len(trace.x) for trace in figure.data) == len(simulated.intervals)
    train = next(trace for trace in figure.data if trace.name == Work.TRAIN.value)
    assert sum(train.x) * 3600 == pytest.approx(simulated.seconds[Work.TRAIN])
    assert sorted(train.y) == [0, 1, 2]
    assert figure.layout.title.text == "three"


def test_slots_beyond_the_cap_are_left_out_and_the_title_says_so():
    figure = plot_gantt(simulation().intervals, max_slots=2)
    assert {slot for trace in figure.data for slot in trace.y} == {0, 1}
    assert "the first 2 of 3 slots" in figure.layout.title.text


def test_nothing_to_draw_is_an_error_that_says_what_to_do():
    with pytest.raises(HippoError, match="keep_intervals=True"):
        plot_gantt(simulation(keep_intervals=False).intervals)
