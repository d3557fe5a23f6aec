"""Every public formula: on quantities, arrays and graph nodes alike, and only on what it is for."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tco.formulas
from tco.errors import UnitError
from tco.graph import Graph
from tco.units import Q, kind

#: formula -> one value for each operand, and the unit of the result
CALLS: dict[str, tuple[list[tuple[float, str]], float, str]] = {
    # E = 10,000 x 330 W x 14.8 d = 1,172 MWh, without the PUE of 1.10 (Patterson et al. 2021, Table 4)
    "energy.energy_of_mean_power": ([(330, "W"), (10_000, "1"), (14.8, "d")], 1172.16, "MWh"),
    "energy.rated_power": ([(700, "W"), (0.783, "1")], 548.1, "W"),  # H100 in training: 548 W
    "energy.node_energy_by_ratio": ([(10, "kWh"), (1.55, "1")], 15.5, "kWh"),
    "energy.node_energy": (
        [(10, "kWh"), (1, "kW"), (2, "1"), (3, "h"), (1.1, "1"), (0.95, "1")], 17.894736842, "kWh"),
    # Lenovo bert, MLPerf Training v5.0: 2,000,354.5 J at DC, 0.94 declared, 2,128,036.7 J at the wall
    "energy.ac_energy": ([(2_000_354.5, "J"), (0.94, "1")], 2_128_036.7, "J"),
    "energy.facility_energy": ([(1170, "MWh"), (1.10, "1")], 1287.0, "MWh"),
    "energy.energy_before_pue": ([(1287, "MWh"), (1.10, "1")], 1170.0, "MWh"),
    # job 38113: 20,543,125 J in 2,102 s
    "energy.mean_power": ([(20_543_125, "J"), (2102, "s")], 9773.133, "W"),
    "carbon.operational_carbon": ([(1287, "MWh"), (429, "gCO2e/kWh")], 552.123, "tCO2e"),
    "embodied.die_carbon": ([(8.14, "cm**2"), (1.54, "kgCO2e/cm**2"), (0.875, "1")], 14.3264, "kgCO2e"),
    "embodied.memory_carbon": ([(3, "GB"), (65, "gCO2e/GB"), (0.875, "1")], 222.857143, "gCO2e"),  # ACT README
    "embodied.board_with_memory": ([(80, "GB"), (0.861, "kgCO2e/GB"), (95.12, "kgCO2e")], 164.0, "kgCO2e"),
    "embodied.life_share": ([(1, "h"), (6, "year"), (0.85, "1")], 2.23834e-5, "1"),
    "embodied.allocated": ([(2500, "kgCO2e"), (1, "1"), (1, "1"), (2.23834e-5, "1")], 0.0559585, "kgCO2e"),
    # ACT README: 14 nm, Taiwan 583 g/kWh, 97 % abated, 1,556.6857 g/cm2 at a yield of 0.875
    "silicon.carbon_per_area": (
        [(583, "gCO2e/kWh"), (1.2, "kWh/cm2"), (162.5, "gCO2e/cm2"), (500, "gCO2e/cm2")], 1362.1, "gCO2e/cm2"),
    "silicon.between": (
        [(12, "nm"), (10, "nm"), (1.475, "kWh/cm2"), (14, "nm"), (1.2, "kWh/cm2")], 1.3375, "kWh/cm2"),
    "silicon.layered_energy": ([(1.2, "kWh/cm2"), (0.05, "kWh/cm2"), (2, "1")], 1.3, "kWh/cm2"),
    "silicon.layered_gases": ([(125, "gCO2e/cm2"), (1.2, "kWh/cm2"), (1.3, "kWh/cm2")], 135.416667, "gCO2e/cm2"),
    "silicon.wafer_area": ([(300, "mm")], 706.858347, "cm2"),
    "silicon.with_kerf": ([(1, "mm2"), (0.2, "mm")], 1.44, "mm2"),
    "silicon.dies_classic": ([(814, "mm2"), (300, "mm")], 63.4791898, "1"),  # about 63 H100 on a wafer (Morrison 2025)
    "silicon.dies_exponential": ([(814, "mm2"), (300, "mm")], 71.7964865, "1"),
    "silicon.whole_dies": ([(63.4792, "1")], 63.0, "1"),
    "silicon.poisson": ([(100, "mm2"), (0.15, "1/cm2")], 0.860708, "1"),
    "silicon.murphy": ([(1, "cm2"), (0.15, "1/cm2")], 0.862323, "1"),  # imec quotes 86 %
    "silicon.murphy_rectangular": ([(1, "cm2"), (0.15, "1/cm2")], 0.863939, "1"),
    "silicon.seeds": ([(1, "cm2"), (0.15, "1/cm2")], 0.869565, "1"),
    "silicon.moore": ([(1, "cm2"), (0.15, "1/cm2")], 0.678889, "1"),
    "silicon.negative_binomial": ([(1, "cm2"), (0.15, "1/cm2"), (10, "1")], 0.861667, "1"),
    "silicon.bose_einstein": ([(1, "cm2"), (0.0125, "1/cm2"), (12, "1")], 0.861509, "1"),
    # 3D-Carbon, one of the four dies of an EPYC 7351P: 16.80 kg / 4
    "silicon.good_die_carbon": (
        [(1393.316667, "gCO2e/cm2"), (706.858347, "cm2"), (289, "1"), (0.8115537, "1"), (1, "1")], 4.199206, "kgCO2e"),
    "silicon.die_and_unused_wafer": (
        [(26.13, "gCO2e/mm2"), (148, "mm2"), (0.7469898, "1"), (159043.128, "mm2"), (992.445117, "1")],
        5.499026, "kgCO2e"),  # ECO-CHIP, test-monolithic
    "silicon.effective_area": ([(706.858347, "cm2"), (62.437, "1"), (0.4031107, "1")], 28.08445, "cm2"),
    "packaging.packages_carbon": ([(2, "1"), (150, "gCO2e")], 300.0, "gCO2e"),
    "packaging.package_carbon": ([(4410, "mm2"), (0.00135, "kWh/mm2"), (583, "gCO2e/kWh")], 3.4708905, "kgCO2e"),
    "packaging.carrier_area": ([(898, "mm2"), (1.1, "1")], 987.8, "mm2"),
    "packaging.bonded": ([(9.216, "kgCO2e"), (0.96, "1"), (2, "1")], 10.0, "kgCO2e"),
    "embodied.base_and_size": ([(9.14, "kgCO2e"), (588, "mm2"), (0.0197, "kgCO2e/mm2")], 20.7236, "kgCO2e"),
    "embodied.memory_of_density": (
        [(5.22, "kgCO2e"), (32, "GB"), (0.625, "GB/cm2"), (2.2, "kgCO2e/cm2")], 117.86, "kgCO2e"),
    "embodied.share_of_enclosure": ([(30.9, "kgCO2e"), (880, "kgCO2e"), (16, "1")], 85.9, "kgCO2e"),
    "embodied.transport_carbon": ([(2, "t"), (1000, "km"), (5.04e-5, "kgCO2e/(kg*km)")], 100.8, "kgCO2e"),
    "embodied.share_of_longer_life": ([(500, "kgCO2e"), (5, "year"), (15, "year")], 166.666667, "kgCO2e"),
    "embodied.device_share": ([(1200, "kgCO2e"), (1, "1"), (8, "1")], 150.0, "kgCO2e"),
    # SCI 1.1.0 prints 28 g; its own numbers give 28.54 g
    "embodied.sci_embodied": (
        [(1000, "kgCO2e"), (1, "h"), (4, "year"), (1, "1"), (1, "1")], 28.5388128, "gCO2e"),
    "embodied.of_size": ([(2.99, "kg"), (24.3, "kgCO2e/kg")], 72.657, "kgCO2e"),
    "cost.amortised": ([(255_237, "USD"), (2, "1"), (0.1, "1")], 51_047.4, "USD"),
    "cost.network_cost": ([(81, "USD"), (0.19, "1")], 19.0, "USD"),
    "cost.building_cost": ([(11.7, "USD/W"), (10.2, "kW"), (1, "1"), (0.1, "1")], 11_934.0, "USD"),
    "cost.maintenance_cost": ([(100, "EUR"), (0.05, "1")], 5.0, "EUR"),
    "cost.energy_cost": ([(134.4, "kWh"), (0.20, "EUR/kWh")], 26.88, "EUR"),
    "cost.exchanged": ([(100, "USD"), (0.9, "EUR/USD")], 90.0, "EUR"),
    # Scope 2 market-based: 1,000 kWh, 40 % bought from wind at 0, the rest at a residual of 500 g/kWh
    "grid.contract_carbon": ([(1000, "kWh"), (0.6, "1"), (500, "gCO2e/kWh")], 300.0, "kgCO2e"),
    "grid.uncovered": ([(0.4, "1")], 0.6, "1"),
    "grid.share_of_energy": ([(400, "kWh"), (1, "MWh")], 0.4, "1"),
    "grid.grid_loss_carbon": ([(950, "kWh"), (400, "gCO2e/kWh"), (0.05, "1")], 20.0, "kgCO2e"),
    # UPS of White Paper 113, Table 2, at 10 % load: its efficiency 0.690 is 1 / 1.45
    "grid.partial_load_pue": ([(0.1, "1"), (0.04, "1"), (0.05, "1"), (0, "1")], 1.45, "1"),
    "grid.reused_heat": ([(1000, "kWh"), (0.2, "1")], 200.0, "kWh"),
    # EU27: 348.32 in 2015, -4.94 % a year, is 209.90 in 2025
    "grid.projected_intensity": ([(348.32, "gCO2e/kWh"), (0.602607, "1")], 209.90, "gCO2e/kWh"),
    # Fisher, WACC, CRF, NIST factors: values of the finance examples
    "finance.capital_recovery": ([(0.07, "1/year"), (25, "year"), (1, "year")], 0.0858105172, "1/year"),
    "finance.rate_per_period": ([(0.05, "1/year"), (1, "month")], 0.0041666667, "1"),
    "finance.number_of_periods": ([(12, "year"), (1, "month")], 144, "1"),
    "finance.lost_by_waiting": ([(0.07, "1"), (25, "1")], 0.81575082, "1"),
    "finance.financing_factor": ([(0.07, "1"), (25, "1"), (0.815750822, "1")], 2.14526293, "1"),
    "finance.uniform_present_worth": ([(0.03, "1/year"), (5, "year"), (1, "year")], 4.579707, "year"),
    "finance.worth_of_even_payments": ([(2.14526293, "1")], 0.46614334, "1"),
    "finance.mean_present_worth": ([(0.03, "1/year"), (5, "year"), (1, "year")], 0.9159414, "1"),
    "finance.present_worth": ([(0.03, "1/year"), (10, "year"), (1, "year")], 0.744094, "1"),
    "finance.discounted": ([(30_000, "EUR"), (0.7350298528, "1")], 22_050.895584, "EUR"),
    "finance.escalated": ([(100, "EUR"), (0.01, "1/year"), (5, "year"), (1, "year")], 105.1010050, "EUR"),
    "finance.net_rate": ([(0.044, "1/year"), (0.023, "1/year"), (1, "year")], 0.0205278592, "1/year"),
    "finance.nominal_rate": ([(0.03, "1/year"), (0.02, "1/year"), (1, "year")], 0.0506, "1/year"),
    "finance.weighted_cost_of_capital": (
        [(0.6, "1"), (0.10, "1/year"), (0.05, "1/year"), (0.25, "1")], 0.075, "1/year"),
    "finance.within": ([(0.0205, "1/year"), (0.03, "1/year"), (0.10, "1/year")], 0.03, "1/year"),
    "finance.interest_paid": ([(10, "USD"), (0.1298942967, "1/year"), (12, "year")], 5.587315604, "USD"),
    "finance.lease_present_cost": ([(100, "EUR/year"), (4.579707, "year"), (0.25, "1")], 343.478025, "EUR"),
    "finance.purchase_present_cost": ([(1000, "EUR"), (0.1, "1"), (0.862609, "1"), (50, "EUR")], 863.7391, "EUR"),
    "finance.purchases": ([(12, "year"), (5, "year")], 3, "1"),  # at 0, 5 and 10 years, and 3/5 of the last left
    "finance.unused_life": ([(12, "year"), (5, "year")], 0.6, "1"),
    "depreciation.straight_line": ([(40_000, "USD"), (0, "USD"), (6, "year")], 6666.67, "USD/year"),
    # A100 server share, 638 days at 0.14 OOM/year of 365.25 days: 14,165.05 USD (Epoch)
    "depreciation.declined_value": ([(24_875, "USD"), (0.14 / 8766, "OOM/h"), (638, "d")], 14_165.0547, "USD"),
    "depreciation.declined_by_use": (
        [(24_875, "USD"), (0.14 / 8766, "OOM/h"), (638, "d"), (1, "1"), (8766, "h")], 4566.2741, "USD"),
    "depreciation.declining_balance_year": (
        [(80, "%"), (2, "1"), (5, "1"), (4.5, "1"), (1, "1")], 32.0, "%"),  # IRS Publication 946, 5 years, year 2
    "depreciation.book_value": ([(80, "%"), (32, "%")], 48.0, "%"),
    "electricity.energy_in_period": ([(7300, "MWh"), (0.15, "1")], 1095.0, "MWh"),
    "electricity.block_size": (
        [(200, "h"), (10_000, "kW"), (0.849315068, "1"), (730, "h"), (1, "month")], 1698.630137, "MWh"),
    "electricity.energy_in_block": ([(6200, "MWh"), (1698.63, "MWh"), (1698.63, "MWh")], 1698.63, "MWh"),
    "electricity.energy_beyond_blocks": ([(6200, "MWh"), (3397.26, "MWh")], 2802.74, "MWh"),
    "electricity.demand_charge": ([(10.7, "USD/(kW*month)"), (10, "MW"), (730, "h")], 107_000.0, "USD"),
    "electricity.peak_power": ([(10.2, "kW"), (8, "1"), (1.25, "1")], 102.0, "kW"),
    "electricity.fixed_charge": ([(1500, "USD/month"), (1, "1"), (365, "h")], 750.0, "USD"),
    "electricity.levy": ([(100, "EUR"), (0.19, "1")], 19.0, "EUR"),
    # H100 die, 5 nm, 16,988 USD a wafer: 57.6 dies, 42.4 % good, 294.95 and 695.31 USD
    "chip.usable_diameter": ([(300, "mm"), (5, "mm")], 290.0, "mm"),
    "chip.wafer_cost_per_area": ([(16_988, "USD"), (294, "mm")], 0.250241, "USD/mm**2"),
    "chip.raw_die_cost": ([(16_988, "USD"), (57.596498, "1")], 294.948488, "USD"),
    "chip.good_die_cost": ([(294.948488, "USD"), (0.424198, "1")], 695.308, "USD"),
    "chip.packaged_cost": ([(695.3, "USD"), (100, "USD"), (0.99, "1")], 803.3333, "USD"),
    "chip.memory_cost": ([(80, "GB"), (7, "USD/GB")], 560.0, "USD"),
    "chip.share_of_design": ([(542e6, "USD"), (1e6, "1")], 542.0, "USD"),
    # Llama 3: 0.173 interruptions per GPU-year on 16,384 GPUs: one in 3.09 h
    "reliability.expected_failures": ([(0.173, "1/year"), (16_384, "1"), (54, "d")], 419.3406, "1"),
    "reliability.lost_time": ([(419, "1"), (0.5, "h"), (0.25, "h")], 209.5, "h"),
    "reliability.lost_share": ([(209.5, "h"), (1296, "h")], 0.16165123, "1"),
    "reliability.mean_time_between_failures": ([(0.173, "1/year"), (16_384, "1")], 3.0905546, "h"),
    "reliability.spares_cost": ([(3, "1"), (30_000, "USD")], 90_000.0, "USD"),
    "score.gain": ([(3_924_228, "1/s"), (959_000, "1/s")], 4.092, "1"),
    "score.log_gain": ([(4.092, "1"), (0.1, "1")], 0.140903385, "1"),
    "score.scaled_improvement": ([(18_000, "1"), (6140, "1"), (1.40903385, "1"), (1, "1")], 11.99609, "1"),
    # By hand: 9.1 kW for 85 % and 2.4 kW for 15 % of the time; NIST's 4.579707 of five payments at 3 %
    "award.mixed_power": ([(9.1, "kW"), (2.4, "kW"), (0.85, "1")], 8.095, "kW"),
    "award.offered": ([(36, "1"), (231_000, "EUR")], 8_316_000.0, "EUR"),
    "award.over_horizon": ([(310_000, "EUR/year"), (5, "year"), (0.9159414, "1")], 1_419_709.17, "EUR"),
    "award.reference_time": ([(1.2, "1"), (5, "year"), (0.85, "1")], 5.1, "year"),
    "award.points_of_lowest": ([(125, "EUR"), (100, "EUR"), (100, "1")], 80.0, "1"),
    "award.points_of_highest": ([(1.2, "1"), (1.5, "1"), (100, "1")], 80.0, "1"),
    "award.points_between": ([(7, "1"), (10, "1"), (0, "1"), (100, "1")], 70.0, "1"),
    "award.counted": ([(1, "1"), (70, "1")], 70.0, "1"),
    "award.weighted": ([(70, "1"), (0.15, "1")], 10.5, "1"),
    "cost.repriced": ([(100, "USD"), (117.766, "1"), (119.349, "1")], 101.344191, "USD"),
    "cost.net_price": ([(1000, "EUR"), (0.1, "1")], 900.0, "EUR"),
    "cost.net_present_price": ([(1000, "EUR"), (0.1, "1"), (0.8626, "1")], 913.74, "EUR"),
    "cost.annuity_cost": ([(40_000, "USD"), (1.25228, "1"), (2, "1"), (0.1, "1")], 10_018.24, "USD"),
    "cost.acquisition_cost": ([(24_875, "USD"), (25_000, "1")], 621.875e6, "USD"),
    "cost.present_share": ([(100, "EUR"), (0.79854, "1")], 79.854, "EUR"),
    "cost.proportional_cost": ([(100, "EUR"), (0.05, "1")], 5.0, "EUR"),
    "cost.paid_time": ([(24, "h"), (0.85, "1")], 28.2352941, "h"),
    "cost.time_by_energy": ([(134.4, "kWh"), (5.6, "kW"), (1, "1")], 24.0, "h"),
    "cost.share_of_other_life": ([(24, "h"), (12, "year")], 2.28310502e-4, "1"),
    "cost.share_by_energy": ([(134.4, "kWh"), (5.6, "kW"), (1, "1"), (5, "year")], 5.47945205e-4, "1"),
    "cost.cost_by_power": ([(40, "USD/(kW*month)"), (2, "kW"), (1, "1"), (18, "month")], 1440.0, "USD"),
    "cost.staff_cost": (
        [(0.6, "FTE/MW"), (180_000, "USD/(FTE*year)"), (10.2, "kW"), (1, "1"), (1, "year")], 1101.6, "USD"),
    "cost.cost_by_price": ([(255_237, "USD"), (0.004, "1/year"), (2, "1"), (1, "year")], 2041.896, "USD"),
    "cost.cost_by_node": ([(1200, "EUR/year"), (2, "1"), (1, "month")], 200.0, "EUR"),
    "cost.floor_cost": ([(200, "EUR/(m**2*year)"), (1.5, "m**2"), (2, "1"), (1, "year")], 600.0, "EUR"),
    "cost.water_cost": ([(1000, "kL"), (1.0197, "USD/m**3")], 1019.7, "USD"),
    "cost.carbon_cost": ([(552.123, "tCO2e"), (65, "EUR/tCO2e")], 35_887.995, "EUR"),
    "cost.rental_cost": ([(2.97, "USD/h"), (8, "1"), (24, "h")], 570.24, "USD"),
    "cost.committed_price": ([(4.1, "USD/h"), (0.41, "1")], 2.419, "USD/h"),
    "cost.committed_cost": ([(2.4, "USD/h"), (8, "1"), (24, "h"), (0.8, "1")], 576.0, "USD"),
    "cost.break_even_utilisation": ([(170, "EUR"), (0.85, "1"), (510, "EUR"), (40, "EUR")], 0.307446809, "1"),
    "cost.idle_part": ([(170, "EUR"), (0.85, "1")], 25.5, "EUR"),
    "cost.idle_beside": ([(144.5, "EUR"), (0.85, "1")], 25.5, "EUR"),
    "cost.payback_difference": ([(100, "EUR"), (80, "EUR")], 20.0, "EUR"),
    "cost.abatement_price": ([(1000, "EUR"), (10, "tCO2e")], 100.0, "EUR/tCO2e"),
    # InferenceX: 1,000 token/s on a GPU that takes 1.73 kW at the meter: 578 token/s per kW
    "cost.tokens_per_power": ([(3_600_000, "token"), (1.73, "kWh")], 578_035.0, "token/(s*MW)"),
    "water.site_water": ([(157, "MWh"), (1.29, "L/kWh")], 202.53, "kL"),
    "water.source_water": ([(288, "MWh"), (3.1, "L/kWh")], 892.8, "kL"),
    # GPT-3 175B: h 12,288, 96 layers, vocabulary 51,200, sequence 2,048: 174.6 billion parameters
    "performance.block_parameters": (
        [(12_288, "1"), (12_288, "1"), (49_152, "1"), (2, "1"), (1, "1")], 1_812_099_072.0, "1"),
    "performance.model_parameters": (
        [(96, "1"), (1_812_099_072, "1"), (12_288, "1"), (51_200, "1"), (2048, "1")], 174_615_822_336.0, "1"),
    # baselines.csv: 6 N D of one batch of 64 sequences
    "performance.training_operations": (
        [(174_615_822_336, "1"), (131_072, "token"), (6, "FLOP/token")], 1.373234e17, "FLOP"),
    # stored pair kor22t5-175B-full of the rule 6ND at 40 % MFU
    "performance.step_time": (
        [(1.373234e17, "FLOP"), (64, "1"), (312, "TFLOP/s"), (0.4, "1")], 17.19293, "s"),
    "performance.achieved_utilisation": (
        [(1.373234e17, "FLOP"), (64, "1"), (312, "TFLOP/s"), (17.19293, "s")], 0.4, "1"),
    "performance.predicted_duration": ([(18, "s"), (1000, "1"), (1.1, "1")], 5.5, "h"),
    "power.dynamic_power": ([(72.5, "W"), (668.2, "W"), (0.5, "1")], 370.35, "W"),
    "power.relative_utilisation": ([(0.4, "1"), (0.5, "1")], 0.8, "1"),
    # arXiv 2604.04745: 10.7 % of the energy in 19.7 % of the time; 0.488 of the power when busy
    "power.wait_ratio": ([(0.107, "1"), (0.197, "1")], 0.4884067, "1"),
    # Calculon, GPT-3 175B on 64 A100: 0.892 of the power when busy
    "power.power_by_phase": (
        [(1000, "W"), (0.4884067, "1"), (70, "W"), (0.7890026, "1"), (0.2109974, "1"), (0, "1")], 892.0551, "W"),
    "power.modelled_energy": ([(5, "kW"), (8, "1"), (2, "h"), (1, "1")], 80.0, "kWh"),
    # MLPerf Training v4.0, 8 nodes: switches 5.13 of 19.93 MJ
    "power.network_energy": ([(14.80, "MJ"), (0.2574009, "1")], 5.13, "MJ"),
    "work.work_done": ([(146_960, "token/s"), (640.383, "s")], 94_110_685.68, "token"),
    "work.per_work": ([(6_042_687.9, "J"), (94_110_685.68, "token")], 0.064208, "J/token"),
}  # fmt: skip


def public_formulas() -> dict[str, Callable[..., Any]]:
    found = {}
    for module_info in pkgutil.iter_modules(tco.formulas.__path__):
        module = importlib.import_module(f"tco.formulas.{module_info.name}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if not name.startswith("_") and function.__module__ == module.__name__:
                found[f"{module_info.name}.{name}"] = function
    return found


FORMULAS = public_formulas()


def test_every_formula_is_tested() -> None:
    assert set(FORMULAS) == set(CALLS)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_on_quantities(name: str) -> None:
    operands, expected, unit = CALLS[name]
    got = FORMULAS[name](*(Q(value, text) for value, text in operands))
    assert float(got.m_as(Q(1, unit).units)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_on_arrays_and_on_nodes_alike(name: str) -> None:
    operands, _, unit = CALLS[name]
    scalars = FORMULAS[name](*(Q(value, text) for value, text in operands))
    arrays = FORMULAS[name](*(Q(np.full(3, value), text) for value, text in operands))
    np.testing.assert_allclose(arrays.m_as(Q(1, unit).units), float(scalars.m_as(Q(1, unit).units)), rtol=1e-14)
    graph = Graph()
    nodes = [graph.input(f"x{i}", Q(value, text), text) for i, (value, text) in enumerate(operands)]
    line = graph.line("result", FORMULAS[name](*nodes), unit)
    assert line.value == pytest.approx(float(scalars.m_as(Q(1, unit).units)), rel=1e-14)


def wrong_kinds() -> list[tuple[str, int, str]]:
    """Each operand once as something it is not: carbon as mass, another currency, a power for an energy."""
    found = []
    for name, (operands, _, _) in CALLS.items():
        for position, (_, unit) in enumerate(operands):
            for right, wrong in (
                ("CO2e", ""),
                ("USD", "CHF"),
                ("EUR", "CHF"),
                ("kWh", "kW"),
                ("MWh", "MW"),
                ("J", "W"),
            ):
                if unit.startswith(("J", "kWh", "MWh")) and right in ("kWh", "MWh", "J"):
                    if unit == right:
                        found.append((name, position, wrong))
                elif right in unit and right in ("CO2e", "USD", "EUR"):
                    found.append((name, position, unit.replace(right, wrong)))
    return found


@pytest.mark.parametrize(("name", "position", "unit"), wrong_kinds())
def test_a_line_refuses_a_wrong_operand(name: str, position: int, unit: str) -> None:
    operands, _, result = CALLS[name]
    graph = Graph()
    units = [unit if i == position else text for i, (_, text) in enumerate(operands)]

    def build() -> None:
        nodes = [graph.input(f"x{i}", Q(value, units[i]), units[i]) for i, (value, _) in enumerate(operands)]
        graph.line("result", FORMULAS[name](*nodes), result)

    with pytest.raises(UnitError) as caught:
        build()
    message = str(caught.value)
    assert kind(Q(1, result)) in message or message.startswith("cannot ") or "needs a unit" in message


def test_formulas_say_dimension_and_meaning_of_their_parameters() -> None:
    for name, function in FORMULAS.items():
        documentation = inspect.getdoc(function) or ""
        for parameter in inspect.signature(function).parameters:
            assert f"\n{parameter}\n    " in documentation, f"{name}: {parameter}"
        assert documentation.count("[") >= len(inspect.signature(function).parameters), name
