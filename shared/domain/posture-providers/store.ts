import { isDeepStrictEqual } from 'node:util'
import { type Author, commit } from '../../commit/commit.ts'
import { rejectTaken } from '../../commit/reject-taken.ts'
import { stageRows } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { type Owner, reencryptSecret } from '../../core/secrets/stored-secret.ts'
import type { Draft } from '../../values/draft.ts'
import type { Page } from '../../values/page.ts'
import { checkSources } from '../accounts/check-limit.ts'
import { mdmDevices } from '../mdm-devices/mdm-device.ts'
import { disabledTests, getRendered, listTested } from '../reads.ts'
import {
  enabledSyncState,
  firstSyncState,
  lastGoodRunKey,
  stageScheduledSync,
  withLastRun,
  withLastRuns,
} from '../sync/sync-state.ts'
import {
  connectionFields,
  type PostureProviderInput,
  type PostureProviderRow,
  type PostureProviderType,
  postureProviders,
} from './posture-provider.ts'

type Change = Draft<Partial<PostureProviderInput>>

const render = (account: string, rows: PostureProviderRow[]) => withLastRuns(account, rows, ({ id }) => id)

export const list = (account: string, page: Page) =>
  listTested(postureProviders, account, page, disabledTests, { newestFirst: true, render })

export const get = (account: string, id: string) => getRendered(postureProviders, account, id, render)

/** Removes the fields of the other provider type from a draft, including their validation messages. */
function dropOtherConnection(draft: Change, type: PostureProviderType | undefined): void {
  const typeFields: readonly string[] = type === undefined ? [] : connectionFields[type]
  for (const field of Object.values(connectionFields).flat()) {
    if (typeFields.includes(field)) continue
    draft.clear(field)
    delete draft.fields[field]
  }
}

async function buildConnection(owner: Owner, input: Partial<PostureProviderInput>, before: PostureProviderRow | null) {
  const encryptField = async (field: 'api_token' | 'client_secret') => {
    const [sent, stored] = [input[field], before?.[field] ?? null]
    return sent === undefined ? stored : reencryptSecret(owner, sent, stored)
  }
  return {
    tenant_id: input.tenant_id ?? before?.tenant_id ?? null,
    client_id: input.client_id ?? before?.client_id ?? null,
    subdomain: input.subdomain ?? before?.subdomain ?? null,
    region: input.region ?? before?.region ?? null,
    api_token: await encryptField('api_token'),
    client_secret: await encryptField('client_secret'),
  }
}

/** Creates a posture provider and, unless it is disabled, starts a sync run (A26.2(3)). */
export const create = (author: Author, draft: () => Draft<PostureProviderInput>) =>
  commit(author, async (transaction) => {
    checkSources(transaction, postureProviders.name)
    const checked = draft()
    const { type } = checked.fields
    dropOtherConnection(checked, type)
    for (const field of type === undefined ? [] : connectionFields[type]) {
      if (checked.fields[field] === undefined && !checked.has(field)) checked.reject(field, "can't be blank")
    }
    await rejectTaken(transaction, checked, postureProviders)
    const input = checked.done()
    const id = transaction.newId()
    const row = transaction.insert(postureProviders, {
      id,
      account_id: author.accountId,
      type: input.type,
      name: input.name,
      ...(await buildConnection({ accountId: author.accountId, objectId: id }, input, null)),
      is_verified: false,
      ...firstSyncState(input.is_disabled ?? false, transaction.now),
    })
    if (!row.is_disabled) stageScheduledSync(transaction, postureProviders.name, row.id)
    return { data: row }
  })

export const update = (author: Author, id: string, draft: () => Change) =>
  commit(author, async (transaction) => {
    const provider = await transaction.existing(postureProviders, id)
    const checked = draft()
    const { type } = checked.fields
    if (type !== undefined && type !== provider.type) checked.reject('type', 'cannot be changed')
    dropOtherConnection(checked, provider.type)
    await rejectTaken(transaction, checked, postureProviders, provider)
    const input = checked.done()
    const connection = await buildConnection({ accountId: author.accountId, objectId: id }, input, provider)
    const hasNewConnection = !isDeepStrictEqual({ ...provider, ...connection }, provider)
    const enables = input.is_disabled === false
    const row = transaction.update(postureProviders, provider, {
      name: input.name,
      is_disabled: input.is_disabled,
      ...connection,
      ...(hasNewConnection && { is_verified: false }),
      ...(input.accept_deletions === true && { accept_deletions: true }),
      ...(enables && enabledSyncState(provider, transaction.now)),
    })
    if (enables && provider.is_disabled) stageScheduledSync(transaction, postureProviders.name, id)
    return { data: await withLastRun(row) }
  })

/** Deletes a posture provider and its devices. No authorizations need to be revoked, because managed devices grant no access (A28.1). */
export const remove = (author: Author, id: string) =>
  commit(author, async (transaction) => {
    const provider = await transaction.existing(postureProviders, id)
    transaction.delete(postureProviders, provider)
    stageScheduledSync(transaction, postureProviders.name, id)
    transaction.remove(lastGoodRunKey(transaction.accountId, id))
    if ((await stageRestOfPostureProvider(transaction, id)) === 'more') {
      transaction.defer({ below: postureProviders.name, id })
    }
    return { data: await withLastRun(provider) }
  })

export const stageRestOfPostureProvider = (transaction: Transaction, id: string): Promise<'done' | 'more'> =>
  stageRows(transaction, mdmDevices, 'posture_provider_id', id)
