import { randomBytes } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { commitItem } from '../../commit/commit-record.ts'
import { clock } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { serviceAddress } from '../../core/service-address.ts'
import { pulseAgent } from '../../live/live-handler.ts'
import { putFlows } from '../../logs/flows/flow-stream.ts'
import { emptyPack } from '../../logs/flows/packing.ts'
import type { Key } from '../../table/keys.ts'
import { put, remove, writeTogether } from '../../table/write-together.ts'

export const pulseKey: Key = { pk: 'service#pulse', sk: 'pulse' }

/** Account id in the pulse's records, which belong to no real account. */
const pulseAccount = 'service'

/** Path of a public, cacheable page. */
const pulsePath = '/openapi'
const patienceMs = 10_000

/**
 * Sends an empty commit, an empty flow record and requests through all parts of the service. This lets alarms distinguish a dead part from
 * an idle one.
 * @throws AggregateError with the errors of the parts that failed
 */
export async function pulse(): Promise<void> {
  const outcomes = await Promise.allSettled([pulseTable(), throughFlowStream(), pulseApi(), pulseChannel()])
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (errors.length > 0) throw new AggregateError(errors, 'Some parts of the service did not respond to the pulse.')
}

/** Inserts an empty commit record. The previous record is deleted first, because consumers read only inserts. */
async function pulseTable(): Promise<void> {
  const now = clock.now()
  const nothing = { first_leaf: 0, changes: [], rows: {}, revocations: [], follow_ups: [], subject: null }
  await writeTogether([remove(pulseKey)])
  await writeTogether([
    put(commitItem(pulseKey, { account_id: pulseAccount, commit_id: String(now), sequence: 0, time: now, ...nothing })),
  ])
}

const throughFlowStream = (): Promise<void> => putFlows(pulseKey.sk, [emptyPack(clock.now())])

/** Requests a page at the public address, which also tests the domain, the certificate and the CDN. */
async function pulseApi(): Promise<void> {
  const url = serviceAddress() + pulsePath
  const { status } = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(patienceMs) })
  if (status >= 400) throw new Error(`GET ${url} returned ${status}.`)
}

/** Attempts a handshake without a token. Its refusal proves that the function of the live channel runs. */
async function pulseChannel(): Promise<void> {
  if (env.liveUrl === null) return
  const url = new URL(env.liveUrl.replace(/^ws/, 'http'))
  const headers = {
    'user-agent': pulseAgent,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  }
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sendRequest = url.protocol === 'http:' ? requestHttp : requestHttps
    const request = sendRequest(url, { headers, agent: false, signal: AbortSignal.timeout(patienceMs) })
    request.on('response', (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('error', reject).end()
  })
  if (status !== 401) throw new Error(`A handshake at ${env.liveUrl} returned ${status}, not 401.`)
}
