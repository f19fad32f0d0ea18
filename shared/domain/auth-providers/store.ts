import { type Author, commit } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { rejectTaken } from '../../commit/reject-taken.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { env } from '../../core/env.ts'
import { invalid, notFound } from '../../core/errors.ts'
import { resealSecret } from '../../core/secrets/sealed-secret.ts'
import { listRows } from '../../table/list.ts'
import { getRow } from '../../table/read.ts'
import type { Draft } from '../../values/draft.ts'
import type { Page } from '../../values/page.ts'
import {
  type AuthProviderInput,
  type AuthProviderRow,
  authProviders,
  commonDefaults,
  defaultsOf,
  type NewAuthProviderInput,
  type ProviderKind,
  singleSet,
} from './auth-provider.ts'
import { callbackUri } from './callback-uri.ts'
import { checkNewPortalProvider, checkPortalChange } from './check-portal.ts'
import { settleDefault } from './default-provider.ts'
import { discovery } from './discovery.ts'
import { accessNarrower, stageAccessOf, trustAfter } from './end-access.ts'
import { type LastFault, lastFault, lastFaultKey, lastFaults, noFault } from './last-fault.ts'
import { tenantOfIssuer } from './tenant-issuer.ts'

/** A provider with what follows from where the service is, and with its last fault. */
const shown = (kind: ProviderKind, row: AuthProviderRow, address: string, fault: LastFault) => ({
  ...row,
  ...fault,
  callback_uri: callbackUri(address, kind, row.id),
})

export async function list(kind: ProviderKind, account: string, page: Page, address: string) {
  const { rows, metadata } = await listRows(authProviders[kind], account, page, {
    edges: page.filters,
    newestFirst: true,
  })
  const faults = await lastFaults(account, kind, rows)
  return { data: rows.map((row, i) => shown(kind, row, address, faults[i] ?? noFault)), metadata }
}

export async function get(kind: ProviderKind, account: string, id: string, address: string) {
  const provider = await getRow(authProviders[kind], account, id)
  if (!provider) throw notFound()
  return { data: shown(kind, provider, address, await lastFault(account, kind, provider)) }
}

/** Reads a discovery document once a request, however often its commit has to run. */
function discoverer() {
  const read = new Map<string, ReturnType<typeof discovery.read>>()
  return (uri: string) => {
    const known = read.get(uri) ?? discovery.read(uri)
    read.set(uri, known)
    return known
  }
}
/** What an issuer can be made of besides fields: a discovery document, or the address of the service itself. */
type Issuing = { discover: ReturnType<typeof discoverer>; address: string }

/** The issuer that the fields of a provider make (A25.2(3)); a document is read only when all else is right. */
async function issuerOf(
  kind: ProviderKind,
  fields: NewAuthProviderInput,
  before: AuthProviderRow | null,
  draft: Draft<NewAuthProviderInput>,
  { discover, address }: Issuing,
): Promise<string> {
  if (kind === 'email_otp') return address
  if (kind === 'suite') return env.suiteIssuer
  if (kind === 'idp') return `https://${fields.idp_domain}`
  if (kind === 'tenant') return fields.issuer as string
  const uri = fields.discovery_document_uri as string
  if (before?.discovery_document_uri === uri) return before.issuer
  const found = await discover(uri)
  if ('issuer' in found) return found.issuer
  draft.reject('discovery_document_uri', found.failure)
  throw invalid(draft.errors)
}

/** A new issuer of a tenant is one of the cloud directory that the deployment signs in with. */
function checkTenant(kind: ProviderKind, draft: Draft<NewAuthProviderInput>, before?: AuthProviderRow): void {
  const { issuer } = draft.fields
  if (kind !== 'tenant' || issuer === undefined || issuer === before?.issuer) return
  if (tenantOfIssuer(issuer) === null) draft.reject('issuer', `must have the form ${env.tenantIssuer}`)
}

/** Kinds that people sign in to with the deployment's own app need one (I1.4). */
const isConfigured = (kind: ProviderKind): boolean =>
  kind === 'suite' ? env.suiteApp !== null : kind === 'tenant' ? env.tenantApp !== null : true

async function checkUnique(
  transaction: Transaction,
  kind: ProviderKind,
  draft: Draft<NewAuthProviderInput>,
  except?: AuthProviderRow,
) {
  const { name, unique } = authProviders[kind]
  for (const field of ['name', 'client_id', 'issuer'] as const) {
    if (`${name}.${field}` in unique) await rejectTaken(transaction, draft, `${name}.${field}`, field, except)
  }
  if (singleSet in unique && (await transaction.isTaken(singleSet, kind, except))) {
    draft.reject('base', 'a provider of this kind already exists')
  }
}

export function create(kind: ProviderKind, author: Author, draft: () => Draft<NewAuthProviderInput>, address: string) {
  const issuing = { discover: discoverer(), address }
  return commit(author, async (transaction) => {
    const checked = draft()
    checkNewPortalProvider(author, checked)
    if (!checked.has('name')) checked.fields.name ??= defaultsOf[kind].name
    if (!isConfigured(kind)) checked.reject('base', 'this provider kind is not configured')
    checkTenant(kind, checked)
    await checkUnique(transaction, kind, checked)
    const input = checked.done()
    const issuer = await issuerOf(kind, input, null, checked, issuing)
    const secret = input.client_secret
    const row = transaction.insert(authProviders[kind], {
      account_id: author.accountId,
      ...commonDefaults,
      ...defaultsOf[kind],
      ...input,
      name: input.name ?? defaultsOf[kind].name,
      ...(secret !== undefined && { client_secret: await resealSecret(author.accountId, secret, null) }),
      issuer,
    })
    await settleDefault(transaction, kind, null, row)
    return { data: shown(kind, row, address, noFault) }
  })
}

export function update(
  kind: ProviderKind,
  author: Author,
  id: string,
  draft: () => Draft<AuthProviderInput>,
  address: string,
) {
  const issuing = { discover: discoverer(), address }
  const narrowAccess = accessNarrower(id)
  return commitInParts(author, async (transaction) => {
    const provider = await known(transaction, kind, id)
    const checked = draft()
    await checkPortalChange(author, provider, checked.fields)
    checkTenant(kind, checked, provider)
    await checkUnique(transaction, kind, checked, provider)
    const { client_secret: secret, ...input } = checked.done()
    const issuer = await issuerOf(kind, { ...provider, ...input }, provider, checked, issuing)
    const isMoved = issuer !== provider.issuer
    // A secret goes to the provider that it belongs to and nowhere else (I1.3).
    if (isMoved && provider.client_secret && secret === undefined) throw invalid({ client_secret: ["can't be blank"] })
    const after = { ...provider, ...input, issuer }
    if ((await narrowAccess(transaction, provider, after)) === 'more') return 'more'
    const row = transaction.update(authProviders[kind], provider, {
      ...input,
      issuer,
      trust_version: trustAfter(provider, after),
      ...(secret !== undefined && {
        client_secret: await resealSecret(author.accountId, secret, provider.client_secret ?? null),
      }),
    })
    await settleDefault(transaction, kind, provider, row)
    if (row === provider)
      return { done: { data: shown(kind, row, address, await lastFault(author.accountId, kind, row)) } }
    // The fault belonged to the former settings.
    transaction.remove(lastFaultKey(author.accountId, kind, id))
    return { done: { data: shown(kind, row, address, noFault) } }
  })
}

/** Deletes a provider, first the client tokens and portal sessions made through it: they would count without it (A25.2(5)). */
export const remove = (kind: ProviderKind, author: Author, id: string, address: string) =>
  commitInParts(author, async (transaction) => {
    const provider = await known(transaction, kind, id)
    if ((await stageAccessOf(transaction, id)) === 'more') return 'more'
    const fault = await lastFault(author.accountId, kind, provider)
    transaction.delete(authProviders[kind], provider)
    transaction.remove(lastFaultKey(author.accountId, kind, id))
    await settleDefault(transaction, kind, provider, null)
    return { done: { data: shown(kind, provider, address, fault) } }
  })

async function known(transaction: Transaction, kind: ProviderKind, id: string): Promise<AuthProviderRow> {
  const provider = await transaction.get(authProviders[kind], id)
  if (!provider) throw notFound()
  return provider
}
