import * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import { invalid } from '../../core/errors.ts'
import type { Draft } from '../../values/draft.ts'
import { checkConfiguration } from './check-configuration.ts'
import { openConfiguration, sealItems } from './client-secrets.ts'
import {
  V0Configuration,
  type V0ConfigurationInput,
  type V0ConfigurationRow,
  v0Configurations,
} from './configuration.ts'
import { readConfiguration } from './read-configuration.ts'

const maxBytes = 163_840

export const get = async (account: string) => ({
  data: await openConfiguration(account, await readConfiguration(account)),
})

/** As compact JSON of what is shown (`/v0` contract, 12.2). */
const bytesOf = (shown: V0ConfigurationRow): number =>
  Buffer.byteLength(JSON.stringify(v.parse(V0Configuration, shown)))

export const update = (author: Author, draft: () => Draft<V0ConfigurationInput>) =>
  commit(author, async (transaction) => {
    const stored = await readConfiguration(author.accountId)
    const { openid_connect_providers: items, ...changes } = checkConfiguration(draft(), stored)
    const changed = transaction.update(v0Configurations, stored, {
      ...changes,
      openid_connect_providers: items && (await sealItems(author.accountId, items, stored.openid_connect_providers)),
    })
    const shown = await openConfiguration(author.accountId, changed)
    if (changed !== stored && bytesOf(shown) > maxBytes)
      throw invalid({ base: [`should be at most ${maxBytes} byte(s)`] })
    return { data: shown }
  })
