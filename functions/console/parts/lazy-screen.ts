import { type ComponentType, lazy } from 'react'

/** Loads a file of the console while the browser is idle, so that a deployment breaks no open tab (K2.4). */
export function prefetch(load: () => Promise<unknown>): void {
  const whenIdle: (work: () => void) => void = globalThis.requestIdleCallback ?? setTimeout
  whenIdle(() => void load().catch(() => undefined))
}

/** Declares a component whose code is in a file of its own. */
export function lazyScreen<P>(load: () => Promise<ComponentType<P>>) {
  prefetch(load)
  return lazy(async () => ({ default: await load() }))
}
