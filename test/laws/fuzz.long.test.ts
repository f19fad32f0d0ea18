import { it } from 'vitest'
import { expectHostileRequestsAnswered } from '#test/support/operations/hostile-requests.ts'
import { loadEntries } from '#test/support/operations/operations.ts'

const many = { perField: 3, perId: 3, others: 6 }

it.each(await loadEntries())(
  '$name answers many hostile requests with a success, or with an error of its contract that changes nothing',
  (entry) => expectHostileRequestsAnswered(entry, many),
  600_000,
)
