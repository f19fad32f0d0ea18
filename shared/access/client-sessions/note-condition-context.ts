import { randomUUID } from 'node:crypto'
import type { ConditionContext } from '../../domain/policies/evaluate-conditions.ts'
import type { ClientPresence } from '../../domain/presence/presence.ts'
import { reevaluate } from '../authorizations/reevaluate.ts'
import { fingerprint } from '../condition-context.ts'
import type { LiveClient } from './client-presence.ts'
import { type ExpectedPresence, updatePresence } from './update-presence.ts'

/**
 * Tests the authorizations of a client again when its condition context is not the one they conform to (P3.2). Until that is
 * through, the live item says so: a request that breaks off leaves the test to the next one, and one from elsewhere
 * that began later takes it over. `seen` is stored in any case. The session as it is then; null when it is over, or its live
 * item is not as `expected`.
 */
export async function noteConditionContext(
  account: string,
  session: LiveClient,
  context: ConditionContext,
  now: number,
  seen: Partial<ClientPresence> = {},
  expected: ExpectedPresence = {},
): Promise<LiveClient | null> {
  const { client, presence } = session
  const tested = fingerprint(context)
  const update = (values: Partial<ClientPresence>, expected?: ExpectedPresence) =>
    updatePresence(account, client.id, presence.session_id, now, values, expected)
  if (presence.tested === tested) {
    if (Object.keys(seen).length === 0) return session
    return (await update(seen, expected)) === 'lost' ? null : { client, presence: { ...presence, ...seen } }
  }
  const testing = `testing ${randomUUID()}`
  if ((await update({ ...seen, tested: testing }, expected)) === 'lost') return null
  await reevaluate(account, client.id, context, now)
  await update({ tested }, { tested: testing })
  return { client, presence: { ...presence, ...seen, tested } }
}
