import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { checkAdministration, mayAdminister } from '../../commit/check-administration.ts'
import { type Author, commit } from '../../commit/commit.ts'
import { rejectTaken } from '../../commit/reject-taken.ts'
import { type Owner, reencryptSecret } from '../../core/secrets/stored-secret.ts'
import type { Draft } from '../../values/draft.ts'
import type { Page } from '../../values/page.ts'
import { checkFeature, checkSources } from '../accounts/check-limit.ts'
import { disabledTests, getRendered, listTested } from '../reads.ts'
import { enabledSyncState, firstSyncState, stageScheduledSync, withLastRun, withLastRuns } from '../sync/sync-state.ts'
import {
  type DirectoryInput,
  type DirectoryKind,
  type DirectoryRow,
  directories,
  directoryDefaults,
  type NewDirectoryInput,
  sentSecret,
} from './directory.ts'
import { newKeyPair, stageKeyLookup } from './directory-keys.ts'

type Checked = Draft<DirectoryInput>

const render = (account: string, rows: DirectoryRow[]) => withLastRuns(account, rows, ({ id }) => id)

export const list = (kind: DirectoryKind, account: string, page: Page) =>
  listTested(directories[kind], account, page, disabledTests, { newestFirst: true, render })

export const get = (kind: DirectoryKind, account: string, id: string) =>
  getRendered(directories[kind], account, id, render)

/** Creates a directory and, unless it is disabled, starts a sync run (A26.2(3)). */
export const create = (kind: DirectoryKind, author: Author, draft: () => Draft<NewDirectoryInput>) =>
  commit(author, async (transaction) => {
    await checkFeature(transaction, 'idp_sync')
    checkSources(transaction, directories[kind].name)
    const checked = draft()
    if (checked.fields.matches_administrators) {
      checkAdministration(author, 'Creating a directory that matches administrators')
    }
    await rejectTaken(transaction, checked, directories[kind])
    const { service_account_key, client_secret, is_disabled = false, ...input } = checked.done()
    const id = transaction.newId()
    const owner = { accountId: author.accountId, objectId: id }
    const pair = kind === 'idp' ? await newKeyPair(owner, randomUUID()) : null
    const row = transaction.insert(directories[kind], {
      id,
      account_id: author.accountId,
      domains: null,
      matches_administrators: mayAdminister(author),
      ...directoryDefaults[kind],
      ...input,
      ...pair?.stored,
      ...(await encryptSentSecret(kind, owner, { service_account_key, client_secret }, null)),
      ...firstSyncState(is_disabled, transaction.now),
    })
    if (!is_disabled) stageScheduledSync(transaction, directories[kind].name, row.id)
    if (pair) stageKeyLookup(transaction, row.id)
    return { data: { ...row, ...(pair && { public_jwk: pair.public_jwk }) } }
  })

/** Updates a directory. Enabling a disabled directory clears its error and starts a sync run (A26.2(3)). */
export const update = (kind: DirectoryKind, author: Author, id: string, draft: () => Checked) =>
  commit(author, async (transaction) => {
    const directory = await transaction.existing(directories[kind], id)
    const checked = draft()
    const enables = checked.fields.is_disabled === false
    if (enables && directory.is_disabled) await checkFeature(transaction, 'idp_sync')
    const owner = { accountId: author.accountId, objectId: id }
    const secret = await encryptSentSecret(kind, owner, checked.fields, directory)
    checkSourceChange(author, directory, { ...checked.fields, ...secret })
    await rejectTaken(transaction, checked, directories[kind], directory)
    const { service_account_key: _key, client_secret: _secret, rotate_key, accept_deletions, ...input } = checked.done()
    const pair = rotate_key === true ? await newKeyPair(owner, randomUUID()) : null
    const row = transaction.update(directories[kind], directory, {
      ...input,
      ...(accept_deletions === true && { accept_deletions }),
      ...(enables && enabledSyncState(directory, transaction.now)),
      ...pair?.stored,
      ...secret,
    })
    if (enables && directory.is_disabled) stageScheduledSync(transaction, directories[kind].name, id)
    if (pair) stageKeyLookup(transaction, row.id)
    return { data: { ...(await withLastRun(row)), ...(pair && { public_jwk: pair.public_jwk }) } }
  })

async function encryptSentSecret(
  kind: DirectoryKind,
  owner: Owner,
  sent: Pick<DirectoryInput, 'service_account_key' | 'client_secret'>,
  before: DirectoryRow | null,
): Promise<Partial<DirectoryRow>> {
  const field = sentSecret[kind]
  const secret = field === null ? undefined : sent[field]
  if (field === null || secret === undefined) return {}
  return { [field]: await reencryptSecret(owner, secret, before?.[field]) }
}

/** Returns whether a changed field affects which people the directory provides, or how missing people are handled. */
function decides(before: DirectoryRow, [field, value]: [string, unknown]): boolean {
  if (field === 'name') return false
  if (field === 'is_disabled') return before.is_disabled && value === false
  if (field === 'rotate_key') return value === true
  if (field === 'accept_deletions') return value === true && !before.accept_deletions
  return !isDeepStrictEqual(value, before[field as keyof DirectoryRow] ?? null)
}

/**
 * Refuses changes to a directory that can provide administrators, unless the author may administer the account (A26.2(5)). Secrets must be
 * in stored form.
 * @throws ApiError `scope_exceeded`
 */
function checkSourceChange(author: Author, before: DirectoryRow, change: Partial<DirectoryRow>): void {
  const { matches_administrators = before.matches_administrators } = change
  if (!before.matches_administrators && !matches_administrators) return
  if (!Object.entries(change).some((field) => decides(before, field))) return
  checkAdministration(author, 'Changing a directory that matches administrators')
}
