/** Milliseconds without input after which the session ends, and before that the time of the warning (K3.6). */
export const idleLimit = 30 * 60_000
const warningTime = 60_000

export type IdleState = 'active' | 'warning' | 'ended'

/** Returns the state at a time, after the last input in any tab. Both are in milliseconds. */
export function idleState(now: number, lastInput: number): IdleState {
  const idle = now - lastInput
  if (idle >= idleLimit) return 'ended'
  return idle >= idleLimit - warningTime ? 'warning' : 'active'
}

/** Time of the last input in any tab, in milliseconds. */
export const input = { last: Date.now() }
