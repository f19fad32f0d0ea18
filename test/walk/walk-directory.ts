import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '../../docs/examples/client.ts'
import { Gateway } from '../../docs/examples/gateway.ts'
import { Administrator, type Counts, type Entry, type Listed, type Run } from './administrator.ts'
import { type SignedIn, signInPerson } from './sign-in-person.ts'
import type { WalkedCompany } from './walked-company.ts'

export type Walk = {
  company: WalkedCompany
  baseUrl: string
  slug: string
  token: string
  /** Triggers the check for due sync runs, which the service otherwise performs every minute. */
  wake(): void
  say(text: string): void
}

/** Result of a walk: the milliseconds between the commit of a run and the removal of the authorization from the gateway. */
export type Walked = { lostAccessMs: number }

type Steps = Walk & {
  admin: Administrator
  /** Waits until the next run has finished. `took` is the duration of the run, formatted for output. */
  nextRun(): Promise<{ run: Run; took: string }>
}

const numbers = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
    .join(', ') || 'nothing'

const changes = (counts: Record<string, Counts>): string =>
  Object.entries(counts)
    .flatMap(([name, { insert, update, delete: deleted }]) => {
      const parts = [insert && `${insert} new`, update && `${update} changed`, deleted && `${deleted} gone`].filter(
        Boolean,
      )
      return parts.length > 0 ? [`${name}: ${parts.join(', ')}`] : []
    })
    .join('; ') || 'nothing'

/**
 * Polls for up to two minutes for a value that consumers write.
 * @throws Error that names the missing value
 */
async function until<T>(what: string, found: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + 120_000
  for (;;) {
    const value = await found()
    if (value !== undefined && value !== false) return value
    if (performance.now() > end) throw new Error(`Not within two minutes: ${what}`)
    await sleep(100)
  }
}

/** Previews a directory while it is disabled, then enables it, and waits for its first run. */
async function load({ admin, nextRun, say: printLine }: Steps): Promise<{ previewed: Run; first: Run }> {
  const empty = await admin.totals()
  await admin.makeDirectory()
  await admin.post('preview')
  const preview = await nextRun()
  equal(preview.run.outcome, 'previewed', preview.run.error ?? '')
  deepEqual(await admin.totals(), empty)
  const listed = await admin.changesOf(preview.run)
  printLine(
    `previewed in ${preview.took}: ${numbers(preview.run.seen)} seen; would make ${changes(preview.run.planned)}`,
  )
  printLine(`${listed.toLocaleString('en')} changes are listed, and none was made`)

  await admin.changeDirectory({ is_disabled: false })
  const first = await nextRun()
  equal(first.run.outcome, 'applied', first.run.error ?? '')
  deepEqual(first.run.applied, preview.run.planned)
  const full = numbers(await admin.totals())
  printLine(`enabled, and synchronised in ${first.took}: ${changes(first.run.applied)}; now ${full}`)
  return { previewed: preview.run, first: first.run }
}

/** Signs in up to five members of the first group through an auth provider of the same kind as the directory. */
async function signInSome(steps: Steps): Promise<SignedIn[]> {
  const { company, admin, say: printLine } = steps
  const { kind } = company
  const name = kind === 'suite' ? {} : { name: 'Company' }
  const body = { [`${kind}_auth_provider`]: { ...name, ...company.authProvider } }
  const { id: providerId } = await admin.service.request<{ id: string }>('POST', `/${kind}_auth_providers`, body)
  const members = company.group().members.slice(0, 5)
  const people = company.people().filter(({ id }) => members.includes(id))
  const signedIn: SignedIn[] = []
  for (const person of people) {
    const session = await signInPerson({ ...steps, providerId }, person)
    equal(session.actor.email.toLowerCase(), person.email.toLowerCase())
    signedIn.push(session)
  }
  printLine(`${signedIn.length} people signed in with the provider of kind ${kind}, and are whom the directory made`)
  return signedIn
}

/** Grants a group access by a policy, and measures how long a member keeps access after leaving the group. */
async function accessOf(steps: Steps, { token, person }: SignedIn): Promise<{ left: Run; lostAccessMs: number }> {
  const { admin, baseUrl, company, say: printLine, nextRun } = steps
  const ask = admin.service.request.bind(admin.service)
  const site = await ask<{ id: string }>('POST', '/sites', { site: { name: 'Office' } })
  const wiki = { name: 'Wiki', type: 'dns', address: 'wiki.example.com', site_id: site.id }
  const resource = await ask<{ id: string }>('POST', '/resources', { resource: wiki })
  const edge = await ask<{ token: string }>('POST', `/sites/${site.id}/gateways`, { gateway: { name: 'edge' } })
  const removed = new Map<string, number>()
  const key = () => randomBytes(32).toString('base64')
  const gateway = new Gateway(baseUrl, edge.token, key(), (change) => {
    for (const id of change.removed) removed.set(id, Date.now())
  })
  gateway.run().catch(() => undefined)
  const client = new Client({ baseUrl, token, installation: `walk-${company.kind}`, publicKey: key() })
  try {
    await client.start()
    deepEqual(client.resources, [])
    const { id: idpId, members } = company.group()
    const groups = await admin.service.send<Listed<{ id: string; idp_id: string | null }>>('GET', '/groups?limit=1000')
    const group_id = groups.data.find(({ idp_id }) => idp_id === idpId)?.id
    await ask('POST', '/policies', { policy: { group_id, resource_id: resource.id } })
    const connect = () => client.connect(resource.id)
    const { id } = await until('a member gets access', () => connect().catch(() => undefined))
    await until('the gateway has the authorization', () => gateway.authorizations.has(id))
    printLine(`a policy for a group of ${members.length} of the directory lets its members in, and the gateway knows`)

    company.leaveGroup(person.id)
    await admin.post('sync')
    const { run, took } = await nextRun()
    equal(run.outcome, 'applied', run.error ?? '')
    deepEqual(run.applied.memberships, { insert: 0, update: 0, delete: 1 })
    const lostAt = await until('the gateway removes the authorization', () => removed.get(id))
    const refused = await connect().catch((problem: { status: number }) => problem.status)
    equal(refused, 404)
    const committed = await until('the change log has an entry', async () => {
      const log = await admin.changeLog(run.started_at)
      return log.get(run.id)?.get('memberships delete')?.[0]
    })
    const lostAccessMs = lostAt - Date.parse(committed.timestamp)
    printLine(`a person left the group: synchronised in ${took}`)
    printLine(`the gateway let nothing more pass ${lostAccessMs} ms after the run's commit`)
    return { left: run, lostAccessMs }
  } finally {
    await client.stop()
    await gateway.stop()
  }
}

/** Expects that a truncated list fails the run, changes nothing and disables the directory. */
async function breakLists({ admin, company, nextRun, say: printLine }: Steps): Promise<void> {
  const before = await admin.totals()
  company.breakLists()
  await admin.post('sync')
  const { run } = await nextRun()
  equal(run.outcome, 'failed')
  deepEqual(await admin.totals(), before)
  ok((await admin.directory()).is_disabled)
  company.mendLists()
  printLine(`half a list was not believed, nothing changed, and the directory is disabled: ${run.error}`)
}

/** Removes most people from the company. The brake must stop the run until an administrator accepts the deletions. */
async function brake(
  { admin, company, nextRun, say: printLine }: Steps,
  stays: string,
): Promise<{ stopped: Run; released: Run }> {
  const before = await admin.totals()
  const all = company.people()
  const leavers = new Set(all.filter(({ id }, i) => i % 5 < 3 && id !== stays).map(({ id }) => id))
  company.dismiss(leavers)
  await admin.changeDirectory({ is_disabled: false })
  const { run: stopped } = await nextRun()
  equal(stopped.outcome, 'stopped', stopped.error ?? '')
  match(stopped.error ?? '', new RegExp(`^Sync would delete ${leavers.size} of ${all.length} identities;`))
  deepEqual(await admin.totals(), before)
  printLine(`${leavers.size} people left the company, and the brake holds: ${stopped.error}`)

  await admin.changeDirectory({ is_disabled: false, accept_deletions: true })
  const { run: released, took } = await nextRun()
  equal(released.outcome, 'applied', released.error ?? '')
  equal(released.applied.users?.delete, leavers.size)
  const after = await admin.totals()
  equal(after.actors, (before.actors ?? 0) - leavers.size)
  printLine(`an administrator meant it: synchronised in ${took}: ${changes(released.applied)}; now ${numbers(after)}`)
  return { stopped, released }
}

/** Rewinds a run, and expects that the deleted objects are restored. */
async function rewind(
  { admin, nextRun, say: printLine }: Steps,
  run: Run,
  before: Record<string, number>,
): Promise<Run> {
  await admin.post(`runs/${run.id}/rewind`)
  const { run: rewound, took } = await nextRun()
  equal(rewound.outcome, 'applied', rewound.error ?? '')
  deepEqual(await admin.totals(), before)
  ok((await admin.directory()).is_disabled)
  printLine(
    `rewound in ${took}: ${changes(rewound.applied)}; ${numbers(rewound.skipped)} skipped; the directory is disabled`,
  )
  return rewound
}

const summary = (entries: Map<string, Entry[]> | undefined): string =>
  [...(entries ?? [])].map(([name, list]) => `${list.length} × ${name}`).join(', ') || 'nothing'

/** True if the change log has an entry for each change reported by the run. */
function tells(entries: Map<string, Entry[]> | undefined, { applied }: Run): boolean {
  const count = (name: string) => entries?.get(name)?.length ?? 0
  const { users, groups, memberships } = applied
  return (
    count('external_identities insert') === users?.insert &&
    count('external_identities delete') === users.delete &&
    count('groups insert') === groups?.insert &&
    count('memberships insert') === memberships?.insert &&
    count('memberships delete') === memberships.delete
  )
}

/** Expects entries for all changes of the applied runs, and none for previews. */
async function readChangeLog(
  { admin, company, say: printLine }: Steps,
  done: Record<string, Run>,
  looked: Run[],
): Promise<void> {
  const runs = Object.entries(done)
  let log = new Map<string, Map<string, Entry[]>>()
  const isComplete = async () => {
    log = await admin.changeLog()
    return runs.every(([, run]) => tells(log.get(run.id), run))
  }
  await until('the change log has all entries', isComplete).catch((error: Error) => {
    const details = runs.map(([name, run]) => `${name}: ${changes(run.applied)}, told: ${summary(log.get(run.id))}`)
    throw new Error(`${error.message}\n${details.join('\n')}`)
  })
  for (const [name, run] of runs) printLine(`the change log tells of ${name}: ${summary(log.get(run.id))}`)
  // Expects one entry for a stopped run, because the run disables the directory, and none for a preview.
  for (const run of looked) {
    const kinds = [...(log.get(run.id)?.keys() ?? [])]
    deepEqual(kinds, run.outcome === 'stopped' ? [`${company.kind}_directories update`] : [])
  }
}

/**
 * Walks through a directory from the first preview to a rewind, acting as an administrator and as people of a company.
 * @throws AssertionError if the result of a step is wrong
 */
export async function walkDirectory(walk: Walk): Promise<Walked> {
  const started = performance.now()
  const admin = new Administrator(walk)
  let last: string | null = null
  const steps: Steps = {
    ...walk,
    admin,
    say(text) {
      const seconds = ((performance.now() - started) / 1_000).toFixed(1)
      walk.say(`${walk.company.kind.padEnd(6)} ${seconds.padStart(7)} s  ${text}`)
    },
    async nextRun() {
      const run = await admin.finished(last)
      last = run.id
      const seconds = (Date.parse(run.finished_at ?? '') - Date.parse(run.started_at)) / 1_000
      return { run, took: `${seconds.toFixed(1)} s` }
    },
  }
  const { previewed, first } = await load(steps)
  const [leaver] = await signInSome(steps)
  ok(leaver)
  const { left, lostAccessMs } = await accessOf(steps, leaver)
  await breakLists(steps)
  const before = await admin.totals()
  const { stopped, released } = await brake(steps, leaver.person.id)
  const rewound = await rewind(steps, released, before)
  const done = { 'the first run': first, 'who left': left, 'those who were gone': released, 'the rewind': rewound }
  await readChangeLog(steps, done, [previewed, stopped])
  return { lostAccessMs }
}
