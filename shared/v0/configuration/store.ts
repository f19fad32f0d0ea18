import * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import { invalid } from '../../core/errors.ts'
import type { V0Lists } from '../../domain/accounts/account.ts'
import type { Draft } from '../../values/draft.ts'
import { checkConfiguration } from './check-configuration.ts'
import { V0Configuration, type V0ConfigurationRow, v0Configurations } from './configuration.ts'
import type { V0ConfigurationInput } from './configuration-fields.ts'
import { readConfiguration } from './read-configuration.ts'
import { sealItems } from './seal-items.ts'
import { openConfiguration, showConfiguration } from './show-configuration.ts'

const maxBytes = 163_840

/** As compact JSON of what is shown, with lists as text (`/v0` contract, 12.2). */
const bytesOf = (shown: V0ConfigurationRow): number =>
  Buffer.byteLength(JSON.stringify(v.parse(V0Configuration, shown)))

export const update = (author: Author, draft: () => Draft<V0ConfigurationInput>, lists: V0Lists, address: string) =>
  commit(author, async (transaction) => {
    const stored = await readConfiguration(author.accountId)
    const changes = checkConfiguration(draft(), stored, lists, address)
    const { openid_connect_providers: items } = changes
    if (bytesOf({ ...(await openConfiguration(author.accountId, stored)), ...changes }) > maxBytes)
      throw invalid({ base: [`should be at most ${maxBytes} byte(s)`] })
    const changed = transaction.update(v0Configurations, stored, {
      ...changes,
      openid_connect_providers: items && (await sealItems(author.accountId, items, stored.openid_connect_providers)),
    })
    return { data: await showConfiguration(author.accountId, changed, lists) }
  })
