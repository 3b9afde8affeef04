// SPDX-License-Identifier: GPL-2.0
/* Keeps what is published in place while somebody in process context looks at it. One for all: this is rare. */
#include <linux/mutex.h>
#include "kapi.h"

static DEFINE_MUTEX(kapi_publish_mutex);

void kapi_publish_lock(void)
{
	mutex_lock(&kapi_publish_mutex);
}

void kapi_publish_unlock(void)
{
	mutex_unlock(&kapi_publish_mutex);
}
