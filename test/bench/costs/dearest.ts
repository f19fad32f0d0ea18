import { secondOfCpu } from '#test/support/largest/cpu-cost.ts'
import { canBeLarge, largeRequests, measureRequest } from '#test/support/largest/large-requests.ts'
import { loadEntries } from '#test/support/operations/operations.ts'
import { sampleRequests } from '#test/support/operations/sample-requests.ts'
import { markdownTable } from '../measure/markdown-table.ts'

type Dearest = { name: string; what: string; seconds: number }

/** Returns the `count` most expensive operations by CPU in descending order, each with its most expensive request. */
export async function dearestOperations(count: number): Promise<Dearest[]> {
  const world = await sampleRequests()
  const dearest: Dearest[] = []
  for (const entry of (await loadEntries()).filter(canBeLarge)) {
    let costliest: Dearest = { name: entry.name, what: '', seconds: 0 }
    for (const request of await largeRequests(entry, world)) {
      const { what, units } = await measureRequest(world, entry, request)
      if (units > costliest.seconds * secondOfCpu) costliest = { ...costliest, what, seconds: units / secondOfCpu }
    }
    dearest.push(costliest)
  }
  return dearest.sort((a, b) => b.seconds - a.seconds).slice(0, count)
}

export const dearestTable = (operations: Dearest[]): string =>
  markdownTable(
    ['Operation', 'Of what it may take', 'Request'],
    operations.map(({ name, what, seconds }) => [
      `\`${name}\``,
      `${(100 * seconds).toFixed(0)} %`,
      what.replaceAll('|', '\\|').slice(0, 60),
    ]),
  )
