import { expect, it } from 'vitest'
import { checkedEntities } from '#shared/jobs/row-check/derived-items.ts'
import { loadEntities } from '#test/support/operations/entities.ts'

it('names every kind of stored object', async () => {
  expect([...checkedEntities.keys()].sort()).toEqual([...(await loadEntities()).keys()].sort())
})
