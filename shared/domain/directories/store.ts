import { randomUUID } from 'node:crypto'
import { checkAdministration, mayAdminister } from '../../commit/check-administration.ts'
import { type Author, commit } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { rejectTaken } from '../../commit/reject-taken.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { featureNotEnabled, notFound } from '../../core/errors.ts'
import { resealSecret } from '../../core/secrets/sealed-secret.ts'
import type { Draft } from '../../values/draft.ts'
import { accounts } from '../accounts/account.ts'
import { checkSources } from '../accounts/check-limit.ts'
import { withLastRun } from '../sync/last-good-run.ts'
import { enabledSyncState, firstSyncState } from '../sync/sync-state.ts'
import { stageTurn } from '../sync/sync-turn.ts'
import { checkSourceChange } from './check-source.ts'
import { stageDirectoryDeletion } from './delete-directory.ts'
import {
  type DirectoryInput,
  type DirectoryKind,
  type DirectoryRow,
  defaultsOf,
  directories,
  type NewDirectoryInput,
  sentSecret,
  uniqueFields,
} from './directory.ts'
import { stageKeysOf } from './directory-keys.ts'
import { newKeyPair } from './key-pair.ts'
import { accessTaker } from './take-access.ts'

type Checked = Draft<DirectoryInput>

/** Creating a directory starts a run (A26.2(3)). */
export const create = (kind: DirectoryKind, author: Author, draft: () => Draft<NewDirectoryInput>) =>
  commit(author, async (transaction) => {
    await checkFeature(transaction)
    checkSources(transaction, directories[kind].name)
    const checked = draft()
    if (checked.fields.matches_administrators) {
      checkAdministration(author, 'Creating a directory that matches administrators')
    }
    await checkUnique(transaction, kind, checked)
    const { service_account_key, client_secret, is_disabled = false, ...input } = checked.done()
    const pair = kind === 'idp' ? await newKeyPair(author.accountId, randomUUID()) : null
    const row = transaction.insert(directories[kind], {
      account_id: author.accountId,
      domains: null,
      matches_administrators: mayAdminister(author),
      ...defaultsOf[kind],
      ...input,
      ...pair?.stored,
      ...(await sealedSecret(kind, author.accountId, { service_account_key, client_secret }, null)),
      ...firstSyncState(is_disabled, transaction.now),
    })
    if (!is_disabled) stageTurn(transaction, directories[kind].name, row.id)
    if (pair) stageKeysOf(transaction, row.id)
    return { data: { ...row, ...(pair && { public_jwk: pair.public_jwk }) } }
  })

/** Enabling a directory clears what was wrong and starts a run (A26.2(3)). */
export const update = (kind: DirectoryKind, author: Author, id: string, draft: () => Checked) =>
  commit(author, async (transaction) => {
    const directory = await known(transaction, kind, id)
    const checked = draft()
    const enables = checked.fields.is_disabled === false
    if (enables && directory.is_disabled) await checkFeature(transaction)
    const secret = await sealedSecret(kind, author.accountId, checked.fields, directory)
    checkSourceChange(author, directory, { ...checked.fields, ...secret })
    await checkUnique(transaction, kind, checked, directory)
    const { service_account_key: _key, client_secret: _secret, rotate_key, accept_deletions, ...input } = checked.done()
    const pair = rotate_key === true ? await newKeyPair(author.accountId, randomUUID()) : null
    const row = transaction.update(directories[kind], directory, {
      ...input,
      ...(accept_deletions === true && { accept_deletions }),
      ...(enables && enabledSyncState(directory, transaction.now)),
      ...pair?.stored,
      ...secret,
    })
    if (enables && directory.is_disabled) stageTurn(transaction, directories[kind].name, id)
    if (pair) stageKeysOf(transaction, row.id)
    return { data: { ...(await withLastRun(row)), ...(pair && { public_jwk: pair.public_jwk }) } }
  })

/** Deletes a directory with its groups, its identities and the actors it created (A26.2(4)). */
export function remove(kind: DirectoryKind, author: Author, id: string) {
  const takeAccess = accessTaker(id)
  return commitInParts(author, async (transaction) => {
    const directory = await known(transaction, kind, id)
    const outcome = await stageDirectoryDeletion(author, transaction, directories[kind], directory, takeAccess)
    return outcome === 'more' ? 'more' : { done: { data: await withLastRun(directory) } }
  })
}

/** The secret that was sent, as it is stored. */
async function sealedSecret(
  kind: DirectoryKind,
  accountId: string,
  sent: Pick<DirectoryInput, 'service_account_key' | 'client_secret'>,
  before: DirectoryRow | null,
): Promise<Partial<DirectoryRow>> {
  const field = sentSecret[kind]
  const secret = field === null ? undefined : sent[field]
  if (field === null || secret === undefined) return {}
  return { [field]: await resealSecret(accountId, secret, before?.[field] ?? null) }
}

async function checkFeature(transaction: Transaction): Promise<void> {
  const account = await transaction.get(accounts, transaction.accountId)
  if (!account?.features.idp_sync) throw featureNotEnabled('idp_sync')
}

async function checkUnique(transaction: Transaction, kind: DirectoryKind, draft: Checked, except?: DirectoryRow) {
  for (const field of uniqueFields(kind)) {
    await rejectTaken(transaction, draft, `${directories[kind].name}.${field}`, field, except)
  }
}

async function known(transaction: Transaction, kind: DirectoryKind, id: string): Promise<DirectoryRow> {
  const directory = await transaction.get(directories[kind], id)
  if (!directory) throw notFound()
  return directory
}
