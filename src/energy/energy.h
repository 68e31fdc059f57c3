/* energy.h: how much energy the machine took, for --stats and the benchmarks.
 *
 *     energy_meter *meter = energy_open(NULL, 0);
 *     energy_reading before = energy_read(meter);
 *     ... work ...
 *     energy_reading used = energy_between(before, energy_read(meter));
 *     if (used.gpu) ... used.gpu_joules; else ... energy_why(meter, ENERGY_GPU)
 *
 * GPUs are asked through NVML, the counter of the whole board (nvmlDeviceGetTotalEnergyConsumption,
 * since Volta). CPUs are asked through Linux's powercap (RAPL): the packages, without their
 * memory. On many systems only root may read that.
 *
 * What is counted is what the device took, whoever used it, idle power included. NVML renews
 * its counter every 20 to 100 ms, RAPL every 1 ms. So a reading over less than a second means
 * little: repeat the work until it takes some seconds, and divide.
 *
 * RAPL's counters begin anew after some minutes of full load (max_energy_range_uj). A meter sees
 * one such wrap between two of its readings and corrects it, not more: read it at least every
 * minute.
 */
#ifndef TRAWL_ENERGY_H
#define TRAWL_ENERGY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct energy_meter energy_meter;

typedef enum energy_of { ENERGY_GPU, ENERGY_CPU } energy_of;

/* Joules since some moment in the past; only differences mean something. False: not known. */
typedef struct energy_reading {
    double gpu_joules, cpu_joules;
    bool gpu, cpu;
} energy_reading;

/* Meters of the GPUs at `count` PCI addresses (0: all that the driver shows) and of all CPU
 * packages. NULL when memory runs out; what cannot be measured is no error. */
energy_meter *energy_open(const char *const *buses, size_t count);

/* The same with another NVML library (a name for dlopen) and powercap folder, for the tests. */
energy_meter *energy_open_at(const char *library, const char *powercap, const char *const *buses,
                             size_t count);
void energy_close(energy_meter *meter); /* may be NULL */

energy_reading energy_read(energy_meter *meter);

/* What was used between two readings of one meter; known when both know it. */
energy_reading energy_between(energy_reading before, energy_reading after);

/* Why a reading knows nothing of it, one line; "" when it does. Valid until the next reading. */
const char *energy_why(const energy_meter *meter, energy_of which);

/* How many GPUs or packages are measured. */
size_t energy_count(const energy_meter *meter, energy_of which);

#endif
