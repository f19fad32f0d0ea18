import { isDeepStrictEqual } from 'node:util'
import { checkAdministration } from '../../commit/check-administration.ts'
import { type Author, commit } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { rejectTaken } from '../../commit/reject-taken.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { clock } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { invalid, invalidAt } from '../../core/errors.ts'
import { encryptSecret, isStored, reencryptSecret } from '../../core/secrets/stored-secret.ts'
import { workTime } from '../../core/work/work.ts'
import { partition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import type { Draft } from '../../values/draft.ts'
import type { Page } from '../../values/page.ts'
import { disabledTests, getRendered, listTested } from '../reads.ts'
import {
  type AuthProviderInput,
  type AuthProviderRow,
  authProviderDefaults,
  authProviders,
  callbackUri,
  commonDefaults,
  type NewAuthProviderInput,
  opensPortal,
  type ProviderKind,
  singleSet,
  tenantOfIssuer,
} from './auth-provider.ts'
import { discovery } from './discovery-document.ts'
import { accessEnder, nextTrustVersion, stageAccessEnd } from './end-access.ts'
import { type LastFault, lastFault, lastFaultKey, lastFaults, noFault } from './last-fault.ts'

const render = (kind: ProviderKind, row: AuthProviderRow, address: string, fault: LastFault) => ({
  ...row,
  ...fault,
  callback_uri: callbackUri(address, kind, row.id),
})

const withFaults = (kind: ProviderKind, address: string) => async (account: string, rows: AuthProviderRow[]) => {
  const faults = await lastFaults(account, kind, rows)
  return rows.map((row, i) => render(kind, row, address, faults[i] ?? noFault))
}

export const list = (kind: ProviderKind, account: string, page: Page, address: string) =>
  listTested(authProviders[kind], account, page, disabledTests, {
    newestFirst: true,
    render: withFaults(kind, address),
  })

export const get = (kind: ProviderKind, account: string, id: string, address: string) =>
  getRendered(authProviders[kind], account, id, withFaults(kind, address))

type Documents = Map<string, Awaited<ReturnType<typeof discovery.read>>>

/** Thrown by a change that needs a discovery document, before it stages anything. */
class DocumentNeeded extends Error {
  readonly uri: string
  constructor(uri: string) {
    super(`The discovery document ${uri} has not been read.`)
    this.uri = uri
  }
}

/**
 * Runs a commit. If it needs a discovery document, reads the document outside the commit and runs the commit again with it, because other
 * commits of the account wait for a change that is being staged. `run` gets the remaining time of the request in milliseconds.
 */
async function withDocuments<T>(run: (documents: Documents, budgetMs: number) => Promise<T>): Promise<T> {
  const documents: Documents = new Map()
  const deadline = clock.monotonic() + workTime.request()
  for (;;) {
    try {
      return await run(documents, deadline - clock.monotonic())
    } catch (error) {
      if (!(error instanceof DocumentNeeded)) throw error
      documents.set(error.uri, await discovery.read(error.uri))
    }
  }
}

/** Sources of an issuer that is not among the provider's fields: a discovery document, or the address of this service. */
type IssuerSources = { documents: Documents; address: string }

/**
 * Determines the issuer of a provider (A25.2(3)). Called after all other checks, because it may need a discovery document.
 * @throws DocumentNeeded if the document has not been read
 */
function resolveIssuer(
  kind: ProviderKind,
  fields: NewAuthProviderInput,
  before: AuthProviderRow | null,
  draft: Draft<NewAuthProviderInput>,
  { documents, address }: IssuerSources,
): string {
  if (kind === 'email_otp') return address
  if (kind === 'suite') return env.suiteIssuer
  if (kind === 'idp') return `https://${fields.idp_domain}`
  if (kind === 'tenant') return fields.issuer as string
  const uri = fields.discovery_document_uri as string
  if (before?.discovery_document_uri === uri) return before.issuer
  const found = documents.get(uri)
  if (!found) throw new DocumentNeeded(uri)
  if ('issuer' in found) return found.issuer
  draft.reject('discovery_document_uri', found.failure)
  throw invalid(draft.faults)
}

/** Checks that a changed issuer of a `tenant` provider belongs to the deployment's cloud directory. */
function checkTenant(kind: ProviderKind, draft: Draft<NewAuthProviderInput>, before?: AuthProviderRow): void {
  const { issuer } = draft.fields
  if (kind !== 'tenant' || issuer === undefined || issuer === before?.issuer) return
  if (tenantOfIssuer(issuer) === null) draft.reject('issuer', `must have the form ${env.tenantIssuer}`)
}

/** True if the deployment configures the app for the kind (I1.4), or the kind needs no app. */
const isConfigured = (kind: ProviderKind): boolean =>
  kind === 'suite' ? env.suiteApp !== null : kind === 'tenant' ? env.tenantApp !== null : true

export function create(kind: ProviderKind, author: Author, draft: () => Draft<NewAuthProviderInput>, address: string) {
  return withDocuments((documents) =>
    commit(author, async (transaction) => {
      const checked = draft()
      // Checks the author's scopes, because a portal provider lets administrators sign in (A25.2(6)).
      if (!checked.has('context') && opensPortal({ context: commonDefaults.context, ...checked.fields })) {
        checkAdministration(author, 'Creating a provider whose context allows the portal')
      }
      if (!checked.has('name')) checked.fields.name ??= authProviderDefaults[kind].name
      if (!isConfigured(kind)) checked.reject('base', 'this provider kind is not configured')
      checkTenant(kind, checked)
      await rejectTaken(transaction, checked, authProviders[kind])
      if (singleSet in authProviders[kind].unique && (await transaction.isTaken(singleSet, kind))) {
        checked.reject('base', 'a provider of this kind already exists')
      }
      const input = checked.done()
      const issuer = resolveIssuer(kind, input, null, checked, { documents, address })
      const secret = input.client_secret
      const id = transaction.newId()
      const owner = { accountId: author.accountId, objectId: id }
      const row = transaction.insert(authProviders[kind], {
        id,
        account_id: author.accountId,
        ...commonDefaults,
        ...authProviderDefaults[kind],
        ...input,
        name: input.name ?? authProviderDefaults[kind].name,
        ...(secret !== undefined && { client_secret: await encryptSecret(owner, secret) }),
        issuer,
      })
      await settleDefault(transaction, kind, null, row)
      return { data: render(kind, row, address, noFault) }
    }),
  )
}

export function update(
  kind: ProviderKind,
  author: Author,
  id: string,
  draft: () => Draft<AuthProviderInput>,
  address: string,
) {
  const endAccess = accessEnder(id)
  const owner = { accountId: author.accountId, objectId: id }
  return withDocuments((documents, budgetMs) =>
    commitInParts(
      author,
      async (transaction) => {
        const provider = await transaction.existing(authProviders[kind], id)
        const checked = draft()
        await checkPortalChange(author, provider, checked.fields)
        checkTenant(kind, checked, provider)
        await rejectTaken(transaction, checked, authProviders[kind], provider)
        const { client_secret: secret, ...input } = checked.done()
        const issuer = resolveIssuer(kind, { ...provider, ...input }, provider, checked, { documents, address })
        const keepsSecret = provider.client_secret !== undefined && secret === undefined
        // Requires the secret to be sent again when the issuer changes, because the stored secret must not reach a different issuer (I1.3).
        if (keepsSecret && issuer !== provider.issuer) throw invalidAt(['client_secret'], "can't be blank")
        const after = { ...provider, ...input, issuer }
        if ((await endAccess(transaction, provider, after)) === 'more') return 'more'
        const row = transaction.update(authProviders[kind], provider, {
          ...input,
          issuer,
          trust_version: nextTrustVersion(provider, after),
          ...(secret !== undefined && { client_secret: await reencryptSecret(owner, secret, provider.client_secret) }),
        })
        await settleDefault(transaction, kind, provider, row)
        const fault = row === provider ? await lastFault(author.accountId, kind, row) : noFault
        // Deletes the stored fault, which was caused by the previous settings.
        if (row !== provider) transaction.remove(lastFaultKey(author.accountId, kind, id))
        return { done: { data: render(kind, row, address, fault) } }
      },
      budgetMs,
    ),
  )
}

/** Deletes a provider after its client tokens and portal sessions (A25.2(5)). */
export const remove = (kind: ProviderKind, author: Author, id: string, address: string) =>
  commitInParts(author, async (transaction) => {
    const provider = await transaction.existing(authProviders[kind], id)
    if ((await stageAccessEnd(transaction, id)) === 'more') return 'more'
    const fault = await lastFault(author.accountId, kind, provider)
    transaction.delete(authProviders[kind], provider)
    transaction.remove(lastFaultKey(author.accountId, kind, id))
    await settleDefault(transaction, kind, provider, null)
    return { done: { data: render(kind, provider, address, fault) } }
  })

type Pointer = { provider_kind: ProviderKind; provider_id: string }

/** Keeps at most one default provider per account (A25.1). A new default of any kind replaces the previous default. */
async function settleDefault(
  transaction: Transaction,
  kind: ProviderKind,
  before: AuthProviderRow | null,
  after: AuthProviderRow | null,
): Promise<void> {
  const was = before?.is_default === true
  const is = after?.is_default === true
  if (was === is) return
  const key = { pk: partition(transaction.accountId, 'auth_providers.default'), sk: 'default' }
  if (!is) return transaction.remove(key)
  const pointer = await getItem<Pointer>(key)
  if (pointer) {
    const other = await transaction.get(authProviders[pointer.provider_kind], pointer.provider_id)
    if (other) transaction.update(authProviders[pointer.provider_kind], other, { is_default: false })
  }
  const newPointer: Pointer = { provider_kind: kind, provider_id: after.id }
  transaction.put({ ...key, kind: 'pointer', ...newPointer })
}

/** Fields that affect neither who can sign in to the portal nor how long portal sessions last. */
const harmlessFields: readonly string[] = ['name', 'is_default', 'client_session_lifetime_secs']

/** Returns whether a changed field can admit more people to the portal or extend portal sessions. */
function widens(before: AuthProviderRow, [field, value]: [string, unknown]): boolean {
  if (harmlessFields.includes(field)) return false
  if (field === 'is_disabled') return before.is_disabled && value === false
  if (field === 'portal_session_lifetime_secs') return Number(value) > before.portal_session_lifetime_secs
  return !isDeepStrictEqual(value, before[field as keyof AuthProviderRow] ?? null)
}

/**
 * Refuses changes to how administrators sign in, unless the author may administer the account (A25.2(6)).
 * @throws ApiError `scope_exceeded`
 */
async function checkPortalChange(
  author: Author,
  before: AuthProviderRow,
  { client_secret: sent, ...fields }: AuthProviderInput,
): Promise<void> {
  if (!opensPortal(before) && !opensPortal({ context: fields.context ?? before.context })) return
  const owner = { accountId: author.accountId, objectId: before.id }
  const hasNewSecret = sent !== undefined && !(await isStored(owner, sent, before.client_secret))
  if (!hasNewSecret && !Object.entries(fields).some((field) => widens(before, field))) return
  checkAdministration(author, 'Changing how administrators sign in with this provider')
}
