import { expect, it } from 'vitest'
import { checkedEntities } from '#shared/jobs/row-check/checked-entities.ts'
import { loadEntities } from '#test/support/operations/entities.ts'

it('names every kind of stored object', async () => {
  expect([...checkedEntities.keys()].sort()).toEqual([...(await loadEntities()).keys()].sort())
})
