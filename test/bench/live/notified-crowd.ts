import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import { clock } from '#shared/core/clock.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { type MembershipRow, memberships } from '#shared/domain/memberships/membership.ts'
import { type Connection, keepConnection } from '#shared/live/connection.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { robotRow } from '#test/support/accounts/actors.ts'
import { followUpFrom } from '#test/support/logs/commit-stream.ts'
import { plantIds, plantRows } from '#test/support/table/plant-rows.ts'
import { verdict } from '../measure/verdict.ts'

const members = 5_000
const connected = 2_000
const writes = 15

export type NotifiedCrowd = { ratio: number; notified: number; notifyingMs: number; spreadMs: number }

/** Starts an API Gateway stub that records the times of messages to devices. */
async function openPlatform() {
  const messages: { at: number; within: number; device: string }[] = []
  const server = createServer(async (request, response) => {
    const { type, within_ms } = JSON.parse((await text(request)) || '{}')
    if (type === 'resources') messages.push({ at: performance.now(), within: within_ms, device: String(request.url) })
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/live`
  return { messages, endpoint, close: () => server.closeAllConnections() }
}

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN

/** Measures a policy change for a group with 5,000 members, of which 2,000 are connected (C6). */
export async function measureNotifiedCrowd(): Promise<NotifiedCrowd> {
  const world = await newAccessWorld([], { limits: { api_capacity: 1_000_000, api_refill_rate: 1_000_000 } })
  const account = world.account.id
  const ids = await plantIds<ActorRow>(account, actors, members, robotRow)
  await plantRows<MembershipRow>(account, memberships, members, (i) => ({
    group_id: world.group.id,
    actor_id: ids[i] as string,
  }))
  const connection = (actor_id: string): Connection => ({
    connection_id: `${crypto.randomUUID()}=`,
    account_id: account,
    device: 'clients',
    device_id: crypto.randomUUID(),
    session_id: crypto.randomUUID(),
    token_id: crypto.randomUUID(),
    actor_id,
    is_person: false,
    connected_at: clock.now(),
  })
  for (let at = 0; at < connected; at += 25) {
    await Promise.all(ids.slice(at, at + 25).map((id) => keepConnection(connection(id))))
  }
  const platform = await openPlatform()
  const set = async (is_disabled: boolean): Promise<number> => {
    const begin = performance.now()
    const { status, text: body } = await world.account.call(updatePolicy, {
      method: 'PATCH',
      params: { id: world.policy.id },
      body: { policy: { is_disabled } },
    })
    if (status !== 200) throw new Error(`The policy was not changed: ${body}`)
    return performance.now() - begin
  }
  const channel = { LIVE_URL: 'ws://127.0.0.1/live', LIVE_ENDPOINT: platform.endpoint }
  const times = { with: [] as number[], without: [] as number[] }
  // Excludes the first runs, which include compilation.
  for (let run = -3; run < writes; run++) {
    for (const kind of ['without', 'with'] as const) {
      for (const name of Object.keys(channel)) delete process.env[name]
      if (kind === 'with') Object.assign(process.env, channel)
      // Measures both directions, because only disabling the policy deletes authorizations.
      const took = (await set(true)) + (await set(false))
      if (run >= 0) times[kind].push(took)
    }
  }
  const from = await followUpFrom(account)
  platform.messages.length = 0
  await set(true)
  const begin = performance.now()
  await followUpFrom(account, from)
  const notifyingMs = performance.now() - begin
  platform.close()
  for (const name of Object.keys(channel)) delete process.env[name]
  const requestTimes = platform.messages.map(({ at, within }) => at + Math.random() * within)
  return {
    ratio: median(times.with) / median(times.without),
    notified: new Set(platform.messages.map(({ device }) => device)).size,
    notifyingMs,
    spreadMs:
      requestTimes.reduce((max, at) => Math.max(max, at), 0) -
      requestTimes.reduce((min, at) => Math.min(min, at), Infinity),
  }
}

export const notifiedCrowdText = ({ ratio, notified, notifyingMs, spreadMs }: NotifiedCrowd): string =>
  [
    `  a policy of a group of ${members} changes: the write takes ${ratio.toFixed(2)} times as long with ${connected} connected\n`,
    `  ${notified} of them were notified in ${(notifyingMs / 1_000).toFixed(1)} s, and send requests within ${(spreadMs / 1_000).toFixed(1)} s\n`,
    verdict('C6', 'the write takes at most 1.1 times as long', ratio <= 1.1),
    verdict(
      'C6',
      `all ${connected} are notified, and send requests over 20 s or more`,
      notified === connected && spreadMs >= 20_000,
    ),
  ].join('')
