import * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import { invalid } from '../../core/errors.ts'
import type { V0Lists } from '../../domain/accounts/account.ts'
import type { Draft } from '../../values/draft.ts'
import { showList } from '../values/shown-list.ts'
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

/** A stored configuration as it is shown: with its client secrets, and its lists as the account has them shown. */
async function shown(account: string, row: V0ConfigurationRow, lists: V0Lists) {
  const { default_client_allowed_ips, default_client_dns, ...open } = await openConfiguration(account, row)
  return {
    data: {
      ...open,
      default_client_allowed_ips: showList(default_client_allowed_ips, lists),
      default_client_dns: showList(default_client_dns, lists),
    },
  }
}

export const get = async (account: string, lists: V0Lists) => shown(account, await readConfiguration(account), lists)

/** As compact JSON of what is shown, with lists as text (`/v0` contract, 12.2). */
const bytesOf = (shown: V0ConfigurationRow): number =>
  Buffer.byteLength(JSON.stringify(v.parse(V0Configuration, shown)))

export const update = (author: Author, draft: () => Draft<V0ConfigurationInput>, lists: V0Lists) =>
  commit(author, async (transaction) => {
    const stored = await readConfiguration(author.accountId)
    const changes = checkConfiguration(draft(), stored, lists)
    const { openid_connect_providers: items } = changes
    if (bytesOf({ ...(await openConfiguration(author.accountId, stored)), ...changes }) > maxBytes)
      throw invalid({ base: [`should be at most ${maxBytes} byte(s)`] })
    const changed = transaction.update(v0Configurations, stored, {
      ...changes,
      openid_connect_providers: items && (await sealItems(author.accountId, items, stored.openid_connect_providers)),
    })
    return shown(author.accountId, changed, lists)
  })
