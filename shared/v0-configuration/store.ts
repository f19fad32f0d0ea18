import * as v from 'valibot'
import { invalid } from '../errors.ts'
import { type Author, commit } from '../table/commit.ts'
import type { Draft } from '../values/draft.ts'
import { checkConfiguration } from './check-configuration.ts'
import {
  V0Configuration,
  type V0ConfigurationInput,
  type V0ConfigurationRow,
  v0Configurations,
} from './configuration.ts'
import { readConfiguration } from './read-configuration.ts'

const maxBytes = 163_840

export const get = async (account: string) => ({ data: await readConfiguration(account) })

/** As compact JSON of what is shown (`/v0` contract, 12.2). */
const bytesOf = (row: V0ConfigurationRow): number => Buffer.byteLength(JSON.stringify(v.parse(V0Configuration, row)))

export const update = (author: Author, draft: () => Draft<V0ConfigurationInput>) =>
  commit(author, async (transaction) => {
    const stored = await readConfiguration(author.accountId)
    const changed = transaction.update(v0Configurations, stored, checkConfiguration(draft(), stored))
    if (changed !== stored && bytesOf(changed) > maxBytes)
      throw invalid({ base: [`should be at most ${maxBytes} byte(s)`] })
    return { data: changed }
  })
