import { itemRow } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'
import { type V0ConfigurationRow, v0Configurations } from './configuration.ts'

/** The one configuration of an account, which is there from its creation (`/v0` contract, 1.3). */
export async function readConfiguration(account: string): Promise<V0ConfigurationRow> {
  const [item] = await queryItems(partition(account, v0Configurations.name), { limit: 1 })
  if (!item) throw new Error(`The account ${account} has no legacy configuration.`)
  return itemRow(v0Configurations, item)
}
