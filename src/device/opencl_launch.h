/* opencl_launch.h: programs and launches through OpenCL. */
#ifndef TRAWL_OPENCL_LAUNCH_H
#define TRAWL_OPENCL_LAUNCH_H

#include "device/opencl_driver.h"

int opencl_launch(device_queue *q, const launch *l, device_event *event, trawl_error *error);
void opencl_programs_close(opencl_device *o);

#endif
