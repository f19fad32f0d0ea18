import { fieldsOf } from '../../../core/json/is-object.ts'
import type { GuardedFetch } from '../../../outside/guarded-fetch.ts'
import type { DirectoryAdapter } from '../../directory-adapter.ts'
import type { Page } from '../../page.ts'
import { ProviderFault } from '../../provider-fault.ts'
import { wholeList } from '../../read/barren-pages.ts'
import { ask, type Provider } from '../ask.ts'
import { type Answer, type Call, nameOf } from '../call.ts'
import { confirmEach } from '../confirm-each.ts'
import { bothPaces, evenPace, toldPace } from '../pace.ts'
import { pageOf } from '../page-of.ts'
import { PageWatch } from '../page-watch.ts'
import { remembered } from '../remembered.ts'
import { type Fields, invalidData, nextPlace, rowsOf } from '../rows-of.ts'
import type { Entry } from '../usable-user.ts'
import type { IdpConnection } from './connection.ts'
import { idpFault, resetMs } from './errors.ts'
import { idpGroup, idpUser, isActive, isSignInApp } from './mapping.ts'
import { idpTokens } from './token.ts'

/** The cursor of the next page: of the links only what reads on is taken, so that no answer leads to another host. */
export function nextCursor(headers: Headers): string | null {
  for (const [, target = '', parameters = ''] of (headers.get('link') ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    if (!/;\s*rel="?next"?/.test(parameters) || !URL.canParse(target)) continue
    return new URL(target).searchParams.get('after')
  }
  return null
}

/** Requests of a provider that says nothing of its limits. */
const floor = { perSecond: 10, burst: 50 }

/** Half of a bucket is left to others; the provider tells what is left of it. */
function holdMs(answer: Answer): number {
  const limit = Number(answer.headers.get('x-rate-limit-limit'))
  const remaining = answer.headers.get('x-rate-limit-remaining')
  const isHalf = limit > 0 && remaining !== null && Number(remaining) <= limit / 2
  return isHalf || answer.status === 429 ? (resetMs(answer) ?? 0) : 0
}

/** Limits are counted by collection. */
const bucketOf = ({ url }: Call): string => url.pathname.split('/')[3] ?? ''

/** A place in the lists of several applications, one after the other: where in which, or past the end of one. */
type Place = { app: string; after: string | null; ended?: true }

const quick = { 'content-type': 'application/json; okta-response=omitCredentials,omitCredentialsLinks' }

/** Okta: management API, with the organisation's own authorization server (`identity-wire.md`, 1.2). */
export function idpDirectory(connection: IdpConnection, fetch: GuardedFetch): DirectoryAdapter {
  const provider: Provider = {
    ...idpTokens(connection, fetch),
    secrets: [],
    pace: bothPaces(evenPace(floor), toldPace(holdMs, bucketOf)),
    faultOf: idpFault,
  }

  const watch = new PageWatch()

  const get = async (path: string, query: Record<string, string | null> = {}, headers?: Record<string, string>) => {
    const url = new URL(`${connection.baseUrl}/api/v1/${path}`)
    for (const [name, value] of Object.entries(query)) if (value !== null) url.searchParams.set(name, value)
    const call: Call = { url, headers, continues: Boolean(query.after) }
    return { call, answer: await ask(provider, call) }
  }

  const list = async (path: string, query: Record<string, string | null>, headers?: Record<string, string>) => {
    const { call, answer } = await get(path, query, headers)
    const next = nextPlace(call, nextCursor(answer.headers), query.after ?? null)
    const rows = rowsOf(call, answer.json, 'the list')
    const ids = rows.map(({ id }) => id)
    return { call, rows, next, barren: watch.isBarren(`${path} ${query.filter ?? ''}`, ids, query.after ?? null, next) }
  }

  /** The sign-in applications that a filter finds among those that the service app may see. */
  async function readApps(filter: string): Promise<string[]> {
    const ids: string[] = []
    for await (const { rows } of wholeList('apps', (after) => list('apps', { limit: '200', filter, after }))) {
      ids.push(...rows.filter((app) => isSignInApp(app) && app.id.isWellFormed()).map(({ id }) => id))
    }
    return ids.sort()
  }

  async function readAllApps(): Promise<string[]> {
    const ids = await readApps('status eq "ACTIVE"')
    if (ids.length > 0) return ids
    const sentence =
      'GET /api/v1/apps shows no sign-in application: the resource set of the service app has to have one.'
    throw new ProviderFault('fatal', sentence)
  }
  const apps = remembered(readAllApps)

  /** Reads a list that each application has, application by application. */
  async function overApps<T>(
    what: 'users' | 'groups',
    query: Record<string, string>,
    position: string | null,
    entryOf: (call: Call, row: Fields & { id: string }) => Entry<T>,
  ): Promise<Page<T>> {
    if (position === null) apps.forget()
    const place: Place | null = position === null ? null : JSON.parse(position)
    const ids = place && !place.ended ? [] : await apps.get()
    const app = place && !place.ended ? place.app : ids.find((id) => !place || id > place.app)
    if (app === undefined) return pageOf<T>([], null)
    const page = await list(
      `apps/${encodeURIComponent(app)}/${what}`,
      { ...query, after: place?.after ?? null },
      quick,
    ).catch((error) => {
      // The application is gone, and with it who was assigned: which applications there are has to be read again.
      if (!(error instanceof ProviderFault) || error.faultClass !== 'object_gone') throw error
      throw new ProviderFault('lost_place', error.message, { cause: error })
    })
    const next: Place = page.next === null ? { app, after: null, ended: true } : { app, after: page.next }
    const isLast = page.next === null && (await apps.get()).every((id) => id <= app)
    return pageOf(
      page.rows.map((row) => entryOf(page.call, row)),
      isLast ? null : JSON.stringify(next),
      page.barren,
    )
  }

  const embedded = (call: Call, row: Fields, name: string) => {
    const [found] = rowsOf(call, [fieldsOf(row._embedded)[name]], `_embedded.${name}`)
    if (!found) throw invalidData(call, `_embedded.${name} is missing`)
    return found
  }

  const isGone = (error: unknown) => {
    if (error instanceof ProviderFault && error.faultClass === 'object_gone') return null
    throw error
  }

  async function isAssigned(user: string): Promise<boolean> {
    const id = encodeURIComponent(user)
    const found = await get(`users/${id}`).catch(isGone)
    if (!found) return false
    const [row] = rowsOf(found.call, [found.answer.json], nameOf(found.call))
    if (!row || !isActive(row)) return false
    const visible = new Set(await apps.get())
    const assigned = await readApps(`user.id eq "${user}"`)
    return assigned.some((app) => visible.has(app))
  }

  return {
    issuer: connection.issuer,
    users: (position) =>
      overApps('users', { limit: '500', expand: 'user' }, position, (call, row) =>
        idpUser(embedded(call, row, 'user')),
      ),
    groups: (position) =>
      overApps('groups', { limit: '200', expand: 'group' }, position, (call, row) => ({
        entry: idpGroup(embedded(call, row, 'group')),
      })),
    async members({ idp_id }, position) {
      const path = `groups/${encodeURIComponent(idp_id)}/users`
      const { rows, next, barren } = await list(path, { limit: '200', after: position }, quick)
      return { entries: rows.map(({ id }) => ({ user: id })), skipped: [], next, barren }
    },
    confirm: confirmEach(isAssigned),
  }
}
