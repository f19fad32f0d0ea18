import { markdownTable } from './markdown-table.ts'
import { gbPerCpu, type Usage, usdOf } from './usage.ts'

/** Lambda gives a function of this memory one CPU, and those of less their share of it. */
const mbPerCpu = gbPerCpu * 1_024
const memories = [512, 1_024, mbPerCpu]

/** How long the table takes to answer one request from the same region, the way there and back with it: what is usual. */
export const roundTripMs = 5

/** A call that no consumer of a stream follows. */
type Call = { name: string; usage: Usage; trips: number }
type Choice = { memory: number; ms: number; usd: number }

/** The latency of a call and what a million of it costs altogether, with each memory. */
function choicesOf({ usage, trips }: Call): Choice[] {
  const cpuMs = usage.lambdaGbMs / gbPerCpu
  return memories.map((memory) => {
    const waitingMs = trips * roundTripMs
    const ms = waitingMs + cpuMs * Math.max(1, mbPerCpu / memory)
    return { memory, ms, usd: usdOf({ ...usage, lambdaGbMs: (memory / 1_024) * ms }) * 1e6 }
  })
}

/** Latency and cost of each call with each memory, and the product of both, beside that of the least memory. */
export const memoryTable = (calls: Call[]): string =>
  markdownTable(
    ['One million calls', ...memories.map((memory) => `${memory.toLocaleString('en-US')} MB`), 'Latency × cost'],
    calls.map((call) => {
      const choices = choicesOf(call)
      const product = ({ ms, usd }: Choice) => ms * usd
      const least = Math.max(...choices.slice(0, 1).map(product))
      return [
        call.name,
        ...choices.map(({ ms, usd }) => `${ms.toFixed(0)} ms, ${usd.toFixed(2)} USD`),
        choices.map((choice) => (product(choice) / least).toFixed(2)).join(', '),
      ]
    }),
  )
