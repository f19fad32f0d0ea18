import { fieldsOf } from '../../core/json/is-object.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import {
  type DirectoryAdapter,
  type DirectoryGroup,
  type DirectoryUser,
  fallbackIfGone,
  isFault,
  ProviderFault,
  type ProviderPage,
} from '../adapter.ts'
import { type Call, get, type Provider, type ProviderResponse, type ResponseFields, responseName } from './call.ts'
import { type IdpConnection, idpFault, idpTokens, resetMs } from './idp-token.ts'
import { requestPace } from './pace.ts'
import {
  checkNextPosition,
  confirmEach,
  directoryGroup,
  type EntryRow,
  entriesOfResponse,
  invalidData,
  memoize,
  PageWatch,
  type ProviderEntry,
  readWholeList,
  textOrNull,
  toMember,
  toProviderPage,
  usableUser,
} from './rows.ts'

/** Statuses of people who can sign in immediately, or after setting a password or having the account unlocked. */
const activeStatuses = ['ACTIVE', 'STAGED', 'PROVISIONED', 'RECOVERY', 'PASSWORD_EXPIRED', 'LOCKED_OUT']

const isActive = ({ status }: ResponseFields): boolean => activeStatuses.includes(String(status))

export function idpUser(user: EntryRow): ProviderEntry<DirectoryUser> {
  const profile = fieldsOf(user.profile)
  const given = textOrNull(profile.firstName)
  const family = textOrNull(profile.lastName)
  return usableUser({
    idp_id: user.id,
    email: textOrNull(profile.email),
    name: textOrNull(profile.displayName) ?? textOrNull([given, family].filter(Boolean).join(' ')),
    given_name: given,
    middle_name: textOrNull(profile.middleName),
    family_name: family,
    nickname: textOrNull(profile.nickName),
    preferred_username: textOrNull(profile.login),
    profile: textOrNull(profile.profileUrl),
    active: isActive(user),
  })
}

export const idpGroup = (group: EntryRow): DirectoryGroup =>
  directoryGroup({
    idp_id: group.id,
    name: textOrNull(fieldsOf(group.profile).name) ?? group.id,
    membership_version: textOrNull(group.lastMembershipUpdated),
  })

/** Returns whether an application is an active OpenID Connect application for people. Excludes service applications. */
export function isSignInApp(app: ResponseFields): boolean {
  const { application_type } = fieldsOf(fieldsOf(app.settings).oauthClient)
  return app.status === 'ACTIVE' && app.signOnMode === 'OPENID_CONNECT' && application_type !== 'service'
}

/** Extracts only the cursor of the `next` link, never its URL, so that a response cannot direct requests to another host. */
export function nextCursor(headers: Headers): string | null {
  for (const [, target = '', parameters = ''] of (headers.get('link') ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    if (!/;\s*rel="?next"?/.test(parameters) || !URL.canParse(target)) continue
    return new URL(target).searchParams.get('after')
  }
  return null
}

/** Rate limits to assume if the responses do not report any (I4.2). */
const defaultLimits = { perSecond: 10, burst: 50 }

/** Returns the pause after a response in milliseconds. The pause leaves half of the rate limit to other clients. */
function holdMs(answer: ProviderResponse): number {
  const limit = Number(answer.headers.get('x-rate-limit-limit'))
  const remaining = answer.headers.get('x-rate-limit-remaining')
  const isHalf = limit > 0 && remaining !== null && Number(remaining) <= limit / 2
  return isHalf || answer.status === 429 ? (resetMs(answer) ?? 0) : 0
}

/** Returns the collection of a call, because the provider limits the rate of each collection separately. */
const bucketOf = ({ url }: Call): string => url.pathname.split('/')[3] ?? ''

/** Position in the lists of all applications, which are read one after the other. `ended` is true at the end of the list of `app`. */
type AppPosition = { app: string; after: string | null; ended?: true }

const leanHeaders = { 'content-type': 'application/json; okta-response=omitCredentials,omitCredentialsLinks' }

/** Okta directory, read through the Okta management API (`identity-wire.md`, 1.2). */
export function idpDirectory(connection: IdpConnection, fetch: GuardedFetch): DirectoryAdapter {
  const tokens = idpTokens(connection, fetch)
  const provider: Provider = { ...tokens, pace: requestPace(defaultLimits, holdMs, bucketOf), faultOf: idpFault }
  const watch = new PageWatch()
  const base = `${connection.baseUrl}/api/v1/`

  const list = async (path: string, query: Record<string, string | null>, headers?: Record<string, string>) => {
    const { after = null, filter = '' } = query
    const { call, answer } = await get(provider, base + path, query, { headers, continues: Boolean(after) })
    const next = checkNextPosition(call, nextCursor(answer.headers), after)
    const rows = entriesOfResponse(call, answer.json, 'the list')
    return { call, rows, next, barren: watch.isBarren(`${path} ${filter}`, rows, after, next) }
  }

  async function readApps(filter: string): Promise<string[]> {
    const ids: string[] = []
    for await (const { rows } of readWholeList('apps', (after) => list('apps', { limit: '200', filter, after }))) {
      ids.push(...rows.filter((app) => isSignInApp(app) && app.id.isWellFormed()).map(({ id }) => id))
    }
    return ids.sort()
  }

  const apps = memoize(async () => {
    const ids = await readApps('status eq "ACTIVE"')
    if (ids.length > 0) return ids
    const sentence =
      'GET /api/v1/apps lists no sign-in application: the resource set of the service app must contain one.'
    throw new ProviderFault('fatal', sentence)
  })

  async function readPerApp<T>(
    noun: 'user' | 'group',
    limit: string,
    position: string | null,
    entryOf: (row: EntryRow) => ProviderEntry<T>,
  ): Promise<ProviderPage<T>> {
    if (position === null) apps.forget()
    const parsed: AppPosition | null = position === null ? null : JSON.parse(position)
    const ids = parsed && !parsed.ended ? [] : await apps.get()
    const app = parsed && !parsed.ended ? parsed.app : ids.find((id) => !parsed || id > parsed.app)
    if (app === undefined) return { entries: [], skipped: [], next: null }
    const query = { limit, expand: noun, after: parsed?.after ?? null }
    const page = await list(`apps/${encodeURIComponent(app)}/${noun}s`, query, leanHeaders).catch((error) => {
      // Reports a lost position, because the application was deleted and the list of applications must be read again.
      throw isFault(error, 'object_gone') ? new ProviderFault('position_lost', error.message, { cause: error }) : error
    })
    const next: AppPosition = page.next === null ? { app, after: null, ended: true } : { app, after: page.next }
    const isLast = page.next === null && (await apps.get()).every((id) => id <= app)
    return toProviderPage({ ...page, next: isLast ? null : JSON.stringify(next) }, (row) => {
      const [found] = entriesOfResponse(page.call, [fieldsOf(row._embedded)[noun]], `_embedded.${noun}`)
      if (!found) throw invalidData(page.call, `_embedded.${noun} is missing`)
      return entryOf(found)
    })
  }

  async function isAssigned(user: string): Promise<boolean> {
    const found = await fallbackIfGone(get(provider, `${base}users/${encodeURIComponent(user)}`), null)
    if (!found) return false
    const [row] = entriesOfResponse(found.call, [found.answer.json], responseName(found.call))
    if (!row || !isActive(row)) return false
    const visible = new Set(await apps.get())
    const assigned = await readApps(`user.id eq "${user}"`)
    return assigned.some((app) => visible.has(app))
  }

  return {
    issuer: connection.issuer,
    users: (position) => readPerApp('user', '500', position, idpUser),
    groups: (position) => readPerApp('group', '200', position, (row) => ({ entry: idpGroup(row) })),
    async members({ idp_id }, position) {
      const path = `groups/${encodeURIComponent(idp_id)}/users`
      return toProviderPage(await list(path, { limit: '200', after: position }, leanHeaders), toMember)
    },
    confirm: confirmEach(isAssigned),
  }
}
