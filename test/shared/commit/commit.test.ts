import { it } from 'vitest'
import { expectStrictOrder } from '#test/support/table/strict-order.ts'

it('gives 20 writers with 100 changes a strict order and loses none', () => expectStrictOrder(20, 5))
