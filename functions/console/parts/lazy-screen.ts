import { type ComponentType, lazy } from 'react'

/**
 * Declares a component whose code is in a file of its own. The browser fetches the file while it is idle, so that a deployment breaks no open
 * tab (K2.4).
 */
export function lazyScreen<P>(load: () => Promise<ComponentType<P>>) {
  const whenIdle: (work: () => void) => void = globalThis.requestIdleCallback ?? setTimeout
  whenIdle(() => void load().catch(() => undefined))
  return lazy(async () => ({ default: await load() }))
}
