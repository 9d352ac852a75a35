"""What Hippo's paper printed in its section 6."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A row of Table 5: GPU-hours and end-to-end hours of Ray Tune, of Hippo without merging, and of Hippo."""

    gpu_hours: tuple[float, float, float]
    end_to_end_h: tuple[float, float, float]

    @property
    def gpu_ratio(self) -> float:
        """How many times the GPU-hours Hippo's authors saved against Ray Tune."""
        return self.gpu_hours[0] / self.gpu_hours[2]

    @property
    def end_to_end_ratio(self) -> float:
        """How many times faster they ended."""
        return self.end_to_end_h[0] / self.end_to_end_h[2]


#: Table 1: space -> trials and merge rate
TABLE_1 = {"resnet56": (448, "2.447"), "mobilenet_v2": (240, "3.144"), "bert_base": (40, "2.045")}

TABLE_5 = {
    "ResNet56 SHA": Published(gpu_hours=(402.66, 404.95, 83.7), end_to_end_h=(13.92, 12.89, 5.76)),
    "ResNet56 ASHA": Published(gpu_hours=(544.36, 374.82, 139.03), end_to_end_h=(17.6, 13.58, 7.4)),
    "MobileNetV2 grid": Published(gpu_hours=(917.11, 944.88, 291.48), end_to_end_h=(28.815, 30.29, 10.43)),
    "BERT-Base grid": Published(gpu_hours=(835.03, 808.21, 404.21), end_to_end_h=(25.18, 24.1, 11.93)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFamily:
    """What section 6.2 prints of eight studies of 144 trials. Rates are as printed: their digits say how exact."""

    #: which studies together -> their k-wise merge rate q; S1's is not printed
    together: Mapping[str, str]
    #: the least and the greatest merge rate of a study
    each: tuple[str, str]
    #: the least and the greatest k-wise merge rate of two studies; not printed of the first family
    pairs: tuple[str, str] | None
    #: "by up to": of GPU-hours, and of end-to-end time
    savings: tuple[float, float]


SECTION_6_2 = {
    "multi_high": PublishedFamily(
        together={"S2": "2.26", "S4": "2.77", "S8": "2.47"},
        each=("1.50", "2.73"),  # printed as 1.5: read with the digits of the figure beside it
        pairs=None,
        savings=(6.77, 3.53),
    ),
    "multi_low": PublishedFamily(
        together={"S2": "1.40", "S4": "1.19", "S8": "1.66"},
        each=("1.2", "2.1"),
        pairs=("1.2", "2.4"),
        savings=(2.32, 1.99),
    ),
}


def rounded_from(printed: str) -> tuple[float, float]:
    """Return the least and the greatest value that is printed so, when it is rounded to that many digits."""
    half = 0.5 * 10 ** -len(printed.partition(".")[2])
    return float(printed) - half, float(printed) + half


def reads(value: float, printed: str) -> bool:
    """Return whether a value, rounded to the digits that are printed, is what is printed."""
    return f"{value:.{len(printed.partition('.')[2])}f}" == printed
