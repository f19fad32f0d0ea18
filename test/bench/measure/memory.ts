import { markdownTable } from './markdown-table.ts'
import { gbPerCpu, type Usage, usdOf } from './usage.ts'

/** Memory in MB at which Lambda allots one CPU. A function with less memory receives a proportional share. */
const mbPerCpu = gbPerCpu * 1_024
const memories = [512, 1_024, mbPerCpu]

/** Assumed round-trip time of a table request within the region, in milliseconds. */
export const roundTripMs = 5

type Call = { name: string; usage: Usage; trips: number }
type Choice = { memory: number; ms: number; usd: number }

function choicesOf({ usage, trips }: Call): Choice[] {
  const cpuMs = usage.lambdaGbMs / gbPerCpu
  return memories.map((memory) => {
    const waitingMs = trips * roundTripMs
    const ms = waitingMs + cpuMs * Math.max(1, mbPerCpu / memory)
    return { memory, ms, usd: usdOf({ ...usage, lambdaGbMs: (memory / 1_024) * ms }) * 1e6 }
  })
}

/** Formats each call's latency and cost by memory size, and the product of both relative to the smallest memory size. */
export const memoryTable = (calls: Call[]): string =>
  markdownTable(
    ['One million calls', ...memories.map((memory) => `${memory.toLocaleString('en-US')} MB`), 'Latency × cost'],
    calls.map((call) => {
      const choices = choicesOf(call)
      const product = ({ ms, usd }: Choice) => ms * usd
      const reference = Math.max(...choices.slice(0, 1).map(product))
      return [
        call.name,
        ...choices.map(({ ms, usd }) => `${ms.toFixed(0)} ms, ${usd.toFixed(2)} USD`),
        choices.map((choice) => (product(choice) / reference).toFixed(2)).join(', '),
      ]
    }),
  )
