import { expect, it } from 'vitest'
import { entity, itemRow, type Row, rowItem } from '#shared/table/entity.ts'

type Lamp = Row & { color: string | null; socket: string | null; spare: string | null }
const lamps = entity<Lamp>({ name: 'lamps', defaults: { color: null, socket: null, spare: 'E27' } })
const row: Lamp = { id: '1', inserted_at: 'a', updated_at: 'b', color: null, socket: 'E14', spare: null }

it('does not store null in a field with a null default', () => {
  const item = rowItem(lamps, 'account', row)
  expect(item).toEqual({
    ...{ pk: 'account#lamps', sk: '1', kind: 'entity', version: 1 },
    ...{ id: '1', inserted_at: 'a', updated_at: 'b', socket: 'E14', spare: null },
  })
  expect(itemRow(lamps, item)).toEqual(row)
})
