import { newAccessWorld } from '../access/access.ts'
import { groupsApi, policiesApi, resourcesApi } from './collections.ts'

type Fields = Record<string, unknown>
export type PolicyWorld = Awaited<ReturnType<typeof newPolicyWorld>>

export const region = { property: 'remote_ip_location_region', operator: 'is_in', values: ['DE', 'PL'] }

export async function newPolicyWorld() {
  const world = await newAccessWorld()
  const { account } = world
  let count = 0
  const newGroup = async (): Promise<string> =>
    (await groupsApi.create(account, { name: `Group ${count++}` })).body.data.id
  const newResource = async () => (await world.addResource({ name: `Resource ${count++}` })).id
  const create = (fields: Fields) => policiesApi.create(account, fields)
  return {
    ...world,
    internet: (await resourcesApi.list(account, { name: 'Internet' })).body.data[0].id as string,
    newGroup,
    newResource,
    create,
    createWithParents: async (fields: Fields = {}) =>
      (await create({ group_id: await newGroup(), resource_id: await newResource(), ...fields })).body.data,
    update: (id: string, fields: Fields) => policiesApi.update(account, id, fields),
  }
}
