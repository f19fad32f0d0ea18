import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { CDPSession, Page, Request } from 'playwright-core'
import { runByControl } from '#infra/local/control.ts'
import { dayMicros, timestamp } from '#shared/core/clock.ts'
import { type AccountRow, accounts } from '#shared/domain/accounts/account.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { rowKey } from '#shared/table/entity.ts'
import { table, tableName } from '#shared/table/table.ts'
import { robotRow } from '#test/support/accounts/actors.ts'
import { callsOf, enterPasscode, settled } from '#test/support/console/console-world.ts'
import { type Service, startService } from '#test/support/service/service.ts'
import { openBrowser } from '#test/support/sign-in/browser.ts'
import { plantLogs } from '#test/support/table/plant-logs.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'
import { inTableOf } from '#test/support/table/table-of-service.ts'
import { median } from '../measure/median.ts'

/** Size of an account: its actors, and its log entries in some days. */
export type ConsoleSize = { actors: number; entries: number; days: number }

/** Requests of a screen, their bytes, and CPU milliseconds of the page. */
type Cost = { requests: number; bytes: number; cpu: number }

export type ScreenCost = { screen: string; few: Cost; many: Cost }

type Planted = {
  slug: string
  email: string
  ids: Record<'actor' | 'resource' | 'group' | 'change', string>
  window: string
}

/** Screens with rows of actors or log entries, and those that choose among them. */
const screens: Array<[screen: string, pathOf: (planted: Planted) => string]> = [
  ['overview', () => ''],
  ['actors', () => '/actors'],
  ['actors of a type', () => '/actors?type=account_user'],
  ['actor', ({ ids }) => `/actors/${ids.actor}`],
  ['form of an actor', ({ ids }) => `/actors/${ids.actor}/edit`],
  ['history of an actor', ({ ids }) => `/actors/${ids.actor}?show=history`],
  ['groups', () => '/groups'],
  ['members', ({ ids }) => `/groups/${ids.group}`],
  ['resource', ({ ids }) => `/resources/${ids.resource}`],
  ['form of a policy', () => '/policies/new'],
  ['explorer', () => '/access'],
  ['explorer of an actor', ({ ids }) => `/access?actor=${ids.actor}`],
  ['decision', ({ ids }) => `/access?actor=${ids.actor}&resource=${ids.resource}`],
  ['flows', ({ window }) => `/flows?${window}`],
  ['changes', ({ window }) => `/changes?${window}`],
  ['changes of an actor', ({ window, ids }) => `/changes?${window}&actor=${ids.actor}`],
  ['change', ({ ids }) => `/changes/${ids.change}`],
  ['sessions', ({ window }) => `/sessions?${window}`],
  ['requests', ({ window }) => `/requests?${window}`],
  ['refusals', () => '/refusals'],
  ['settings', () => '/settings'],
]

/** Creates an account in the running service and fills it. All accounts have the same few objects besides actors and entries. */
async function plantAccount(service: Service, slug: string, size: ConsoleSize): Promise<Planted> {
  const email = `ada@${slug}.example`
  const limits = { api_capacity: 1_000_000, api_refill_rate: 1_000_000 }
  const provisioned = (await runByControl(service.dataDir, 'provision-account', {
    account: { name: 'Company', slug, limits },
    admin: { name: 'Ada Admin', email },
    token_in: 'answer',
  })) as { data: { api_token: { token: string } } }
  const api = callsOf(service, provisioned.data.api_token.token)
  const { id: account } = await api('GET', '/account')
  const [admin] = await api('GET', '/actors?type=account_admin_user')
  await api('PATCH', `/actors/${admin.id}`, { actor: { allow_email_otp_sign_in: true } })
  await api('POST', '/email_otp_auth_providers', { email_otp_auth_provider: { name: 'Passcode' } })
  const site = await api('POST', '/sites', { site: { name: 'Berlin' } })
  const group = await api('POST', '/groups', { group: { name: 'Staff' } })
  const dns = { type: 'dns', site_id: site.id, name: 'Wiki', address: 'wiki.example.com' }
  const resource = await api('POST', '/resources', { resource: dns })
  await api('POST', '/policies', { policy: { group_id: group.id, resource_id: resource.id } })
  const { rows, logs } = await inTableOf(service, async () => {
    await backdateAccount(account)
    return {
      rows: await plantRows<ActorRow>(account, actors, size.actors, personRow, ['type']),
      logs: await plantLogs(account, size.entries, size.days),
    }
  })
  const [first] = rows
  if (!first) throw new Error('An account needs actors.')
  await api('PATCH', `/groups/${group.id}/memberships`, { memberships: { add: [first.id], remove: [] } })
  const window = new URLSearchParams({ begin: timestamp(logs.end - dayMicros), end: timestamp(logs.end) }).toString()
  const [change] = await api('GET', `/logs?type=change&limit=1&${window}`)
  const ids = { actor: first.id, resource: resource.id, group: group.id, change: change.log_id }
  return { slug, email, ids, window }
}

/** Moves the creation of an account to before its planted entries, because the logs begin with it. */
const backdateAccount = (id: string) =>
  table().send(
    new UpdateCommand({
      TableName: tableName(),
      Key: rowKey(accounts, id, { id } as AccountRow),
      UpdateExpression: 'SET inserted_at = :at',
      ConditionExpression: 'attribute_exists(inserted_at)',
      ExpressionAttributeValues: { ':at': timestamp(0) },
    }),
  )

const personRow = (i: number) => ({
  ...robotRow(i),
  name: `Person ${String(i).padStart(6, '0')}`,
  type: 'account_user' as const,
  email: `person-${String(i).padStart(6, '0')}@example.com`,
})

/** Measures a screen as a bookmark opens it. Files of the console are not counted, because they come from the cache of the browser. */
async function measureScreen(page: Page, session: CDPSession, address: string): Promise<Cost> {
  const finished: Request[] = []
  let pending = 0
  const isCounted = (request: Request) => !request.url().includes('/console/')
  const begin = (request: Request) => {
    if (isCounted(request)) pending += 1
  }
  const end = (request: Request) => {
    if (!isCounted(request)) return
    pending -= 1
    finished.push(request)
  }
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end)
  const seconds = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  }
  try {
    await page.goto('about:blank')
    const before = await seconds()
    await page.goto(address, { waitUntil: 'commit' })
    await settled(page)
    for (let quiet = 0; quiet < 5; ) {
      quiet = pending === 0 ? quiet + 1 : 0
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const cpu = ((await seconds()) - before) * 1_000
    const sizes = await Promise.all(
      // Counts no bytes of a request that the page has cancelled.
      finished.filter((request) => !request.failure()).map((request) => request.sizes()),
    )
    return { requests: finished.length, bytes: sizes.reduce((sum, one) => sum + one.responseBodySize, 0), cpu }
  } finally {
    page.off('request', begin).off('requestfinished', end).off('requestfailed', end)
  }
}

/** Measures each screen in a small and in a large account of one service, in turns; the CPU is the median of some rounds. */
export async function consoleCosts(
  chromium: string,
  sizes: { few: ConsoleSize; many: ConsoleSize },
  rounds = 1,
): Promise<ScreenCost[]> {
  const service = await startService()
  const browsing = await openBrowser(chromium, { javaScriptEnabled: true })
  try {
    const { page } = browsing
    page.setDefaultTimeout(20_000)
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable')
    const few = await plantAccount(service, 'few', sizes.few)
    const many = await plantAccount(service, 'many', sizes.many)
    for (const { slug, email } of [few, many]) {
      await page.goto(`${service.baseUrl}/console/${slug}`)
      await enterPasscode({ service }, page, email)
      await page.getByRole('navigation', { name: 'Menu' }).waitFor()
    }
    const costs: ScreenCost[] = []
    for (const [screen, pathOf] of screens) {
      const open = (planted: Planted) =>
        measureScreen(page, session, `${service.baseUrl}/console/${planted.slug}${pathOf(planted)}`)
      const measured: Array<[Cost, Cost]> = []
      for (let round = 0; round < rounds; round++) measured.push([await open(few), await open(many)])
      const costOf = (side: 0 | 1): Cost => ({
        ...(measured.at(-1)?.[side] as Cost),
        cpu: median(measured.map((pair) => pair[side].cpu)),
      })
      costs.push({ screen, few: costOf(0), many: costOf(1) })
    }
    return costs
  } finally {
    await browsing.close()
    await service.stop()
  }
}

const sum = (costs: Cost[], name: keyof Cost): number => costs.reduce((total, cost) => total + cost[name], 0)

/** Table of the ratios of a large account to a small one, measured in one run. */
export function consoleTable(costs: ScreenCost[]): string {
  const line = (name: string, few: Cost, many: Cost) =>
    `  ${name}: ${few.requests} and ${many.requests} requests, bytes ${(many.bytes / few.bytes).toFixed(2)} ×, CPU ${(many.cpu / few.cpu).toFixed(2)} ×`
  const total = (side: 'few' | 'many'): Cost => {
    const all = costs.map((cost) => cost[side])
    return { requests: sum(all, 'requests'), bytes: sum(all, 'bytes'), cpu: sum(all, 'cpu') }
  }
  const lines = costs.map(({ screen, few, many }) => line(screen, few, many))
  return `${[...lines, line('all screens', total('few'), total('many'))].join('\n')}\n`
}
