/* cuda_launch.h: programs and launches through the CUDA driver. */
#ifndef TRAWL_CUDA_LAUNCH_H
#define TRAWL_CUDA_LAUNCH_H

#include "device/cuda_driver.h"

int cuda_launch(device_queue *q, const launch *l, device_event *event, trawl_error *error);
void cuda_modules_close(cuda_device *d); /* the context is current */
/* Mark constant memory that holds this buffer's content, in any module, as out of date. */
void cuda_forget_constants(cuda_device *d, const device_buffer *b);

#endif
