import { afterEach, beforeAll, it, vi } from 'vitest'
import { checkLogLine } from '#test/support/logs/check-log-line.ts'
import { loadEntries } from '#test/support/operations/operations.ts'
import { sampleRequests } from '#test/support/operations/sample-requests.ts'

const names = (await loadEntries()).map(({ name }) => name)

let world: Awaited<ReturnType<typeof sampleRequests>>
beforeAll(async () => {
  world = await sampleRequests()
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

it.each(names)('%s logs one line with caller and operation, and none of the content', (name) =>
  checkLogLine(world, name),
)
