import { newAccount } from './account.ts'
import { resourcesApi, sitesApi } from './collections.ts'
import { newPool } from './pools.ts'

type Fields = Record<string, unknown>
export type ResourceWorld = Awaited<ReturnType<typeof newResourceWorld>>

/** Creates an account with two sites and one resource of every kind that the API cannot create. */
export async function newResourceWorld() {
  const account = await newAccount()
  const newSite = async (name: string): Promise<string> => (await sitesApi.create(account, { name })).body.data.id
  const site = await newSite('Berlin')
  const dns = (fields: Fields = {}): Fields => ({
    name: 'Wiki',
    type: 'dns',
    site_id: site,
    address: 'wiki.example.com',
    ...fields,
  })
  const create = (fields: Fields) => resourcesApi.create(account, fields)
  return {
    account,
    site,
    otherSite: await newSite('Paris'),
    internetSite: (await sitesApi.list(account, { name: 'Internet' })).body.data[0].id as string,
    internetResource: (await resourcesApi.list(account, { name: 'Internet' })).body.data[0].id as string,
    pool: await newPool(account),
    dns,
    create,
    createDns: async (fields: Fields = {}) => (await create(dns(fields))).body.data,
    get: (id: string) => resourcesApi.get(account, id),
    update: (id: string, fields: Fields) => resourcesApi.update(account, id, fields),
  }
}
