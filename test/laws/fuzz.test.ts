import { beforeAll, it } from 'vitest'
import { expectHostileRequestsAnswered } from '#test/support/operations/hostile-requests.ts'
import { loadEntries } from '#test/support/operations/operations.ts'
import { sampleRequests } from '#test/support/operations/sample-requests.ts'

const few = { perField: 1, perId: 1, others: 1 }

// Shares one account among all operations. The long tests create one account per operation.
let world: Awaited<ReturnType<typeof sampleRequests>>
beforeAll(async () => {
  world = await sampleRequests()
})

it.each(await loadEntries())(
  '$name answers hostile requests with a success, or with an error of its contract that changes nothing',
  (entry) => expectHostileRequestsAnswered(entry, few, world),
)
