import { commitItem } from '../../commit/commit-record.ts'
import { clock } from '../../core/clock.ts'
import { serviceAddress } from '../../core/service-address.ts'
import { putFlows } from '../../logs/flows/flow-stream.ts'
import { emptyPack } from '../../logs/flows/packing.ts'
import type { Key } from '../../table/keys.ts'
import { put, remove, writeTogether } from '../../table/write-together.ts'

export const pulseKey: Key = { pk: 'service#pulse', sk: 'pulse' }

/** Names no account; the records of one are found by its id. */
const nobody = 'service'

/** What answers is up to the API; a page that needs no credential and that anybody may keep is no load for it. */
const pulsePath = '/openapi'
const patienceMs = 10_000

/**
 * A sign of life through every part: each has something to do once a minute, so that an alarm can tell one that is dead
 * from one that is idle. What arrives is a commit of nothing and a pack without flows, which consumers of any version read.
 * @throws AggregateError of the parts that did not take it; the others have
 */
export async function pulse(): Promise<void> {
  const outcomes = await Promise.allSettled([throughTable(), throughFlowStream(), throughApi()])
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (errors.length > 0) throw new AggregateError(errors, 'Some parts of the service did not take the pulse.')
}

/** The consumers read what is inserted, so the one before goes first. */
async function throughTable(): Promise<void> {
  const now = clock.now()
  const nothing = { first_leaf: null, changes: [], revocations: [], cascades: [], subject: null }
  await writeTogether([remove(pulseKey)])
  await writeTogether([
    put(commitItem(pulseKey, { account_id: nobody, commit_id: String(now), sequence: 0, time: now, ...nothing })),
  ])
}

const throughFlowStream = (): Promise<void> => putFlows(pulseKey.sk, [emptyPack(clock.now())])

/** By the address that callers use: domain, certificate and what else stands in front are a part of it. */
async function throughApi(): Promise<void> {
  const url = serviceAddress() + pulsePath
  const { status } = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(patienceMs) })
  if (status >= 400) throw new Error(`GET ${url} answered ${status}.`)
}
