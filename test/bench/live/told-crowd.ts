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

export type ToldCrowd = { ratio: number; told: number; tellingMs: number; spreadMs: number }

/** A platform that takes messages and notes when it got which. */
async function openPlatform() {
  const got: { at: number; within: number; device: string }[] = []
  const server = createServer(async (request, response) => {
    const { type, within_ms } = JSON.parse((await text(request)) || '{}')
    if (type === 'resources') got.push({ at: performance.now(), within: within_ms, device: String(request.url) })
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/live`
  return { got, endpoint, close: () => server.closeAllConnections() }
}

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN

/** A policy of a group of 5,000 changes while 2,000 of them are connected (C6). */
export async function toldCrowd(): Promise<ToldCrowd> {
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
    const { status, text: said } = await world.account.call(updatePolicy, {
      method: 'PATCH',
      params: { id: world.policy.id },
      body: { policy: { is_disabled } },
    })
    if (status !== 200) throw new Error(`The policy was not changed: ${said}`)
    return performance.now() - begin
  }
  const channel = { LIVE_URL: 'ws://127.0.0.1/live', LIVE_ENDPOINT: platform.endpoint }
  const times = { with: [] as number[], without: [] as number[] }
  // The first runs compile what the others run.
  for (let run = -3; run < writes; run++) {
    for (const kind of ['without', 'with'] as const) {
      for (const name of Object.keys(channel)) delete process.env[name]
      if (kind === 'with') Object.assign(process.env, channel)
      // Both ways: a policy that is disabled takes authorizations along, and one that is enabled none.
      const took = (await set(true)) + (await set(false))
      if (run >= 0) times[kind].push(took)
    }
  }
  const from = await followUpFrom(account)
  platform.got.length = 0
  await set(true)
  const begin = performance.now()
  await followUpFrom(account, from)
  const tellingMs = performance.now() - begin
  platform.close()
  for (const name of Object.keys(channel)) delete process.env[name]
  const asked = platform.got.map(({ at, within }) => at + Math.random() * within)
  return {
    ratio: median(times.with) / median(times.without),
    told: new Set(platform.got.map(({ device }) => device)).size,
    tellingMs,
    spreadMs:
      asked.reduce((most, at) => Math.max(most, at), 0) - asked.reduce((least, at) => Math.min(least, at), Infinity),
  }
}

export const toldCrowdText = ({ ratio, told, tellingMs, spreadMs }: ToldCrowd): string =>
  [
    `  a policy of a group of ${members} changes: the write takes ${ratio.toFixed(2)} times as long with ${connected} connected\n`,
    `  ${told} of them were told in ${(tellingMs / 1_000).toFixed(1)} s, and ask within ${(spreadMs / 1_000).toFixed(1)} s\n`,
    verdict('the write takes at most 1.1 times as long', ratio <= 1.1),
    verdict(`all ${connected} are told, and ask over 20 s or more`, told === connected && spreadMs >= 20_000),
  ].join('')
