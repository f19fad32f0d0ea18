import { EventEmitter, once } from 'node:events'

const emitter = new EventEmitter().setMaxListeners(0)
let count = 0

/** Handles a request of a caller, during which consumers wait (`untilIdle`). */
export async function handleRequest<T>(handle: () => Promise<T>): Promise<T> {
  count++
  try {
    return await handle()
  } finally {
    if (--count === 0) emitter.emit('idle')
  }
}

/** Waits until no request is in progress, or the time has elapsed. */
export async function untilIdle(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (count === 0) return
  const endSignal = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)])
  await once(emitter, 'idle', { signal: endSignal }).catch(() => undefined)
}
