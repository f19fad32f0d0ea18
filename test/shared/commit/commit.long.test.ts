import { it } from 'vitest'
import { expectStrictOrder } from '#test/support/table/strict-order.ts'

it('gives 20 writers with 500 changes a strict order and loses none', () => expectStrictOrder(20, 25), 300_000)
