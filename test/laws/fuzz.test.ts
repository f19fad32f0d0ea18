import { it } from 'vitest'
import { expectHostileRequestsAnswered } from '#test/support/hostile-requests.ts'
import { loadEntries } from '#test/support/operations.ts'

const few = { perField: 1, perId: 1, others: 1 }

it.each(await loadEntries())(
  '$name answers hostile requests with a success or an error of its contract, which changes nothing',
  (entry) => expectHostileRequestsAnswered(entry, few),
)
