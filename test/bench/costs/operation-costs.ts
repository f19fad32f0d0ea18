import { readFile, writeFile } from 'node:fs/promises'
import { sampleRequests } from '#test/support/operations/sample-requests.ts'
import { type Consumed, measure } from '#test/support/table/consumed-capacity.ts'
import { holdLease } from '../measure/hold-lease.ts'
import { markdownTable } from '../measure/markdown-table.ts'

export type OperationCost = Omit<Consumed, 'trips'> & { name: string }

/**
 * Measures the table usage of each operation on a small object. The token was used within the last minute, and the process holds a rate
 * limit lease.
 */
export async function operationCosts(): Promise<OperationCost[]> {
  const { samples, send } = await sampleRequests()
  const costs: OperationCost[] = []
  for (const [name, sample] of Object.entries(samples)) {
    const tries: Consumed[] = []
    // Takes the least of three measurements, because a request may also renew a lease.
    for (let i = 0; i < 3; i++) {
      const request = await sample()
      if (request.token) await holdLease(send, request.token)
      let answer = { status: 0, text: '' }
      const consumed = await measure(async () => {
        answer = await send(name, request)
      })
      if (answer.status > 303) throw new Error(`${name} answered ${answer.text}`)
      tries.push(consumed)
    }
    const [least] = tries.sort((a, b) => a.requests - b.requests || a.reads + a.writes - b.reads - b.writes)
    costs.push({ name, ...(least as Consumed) })
  }
  return costs
}

const file = new URL('../../../docs/table.md', import.meta.url)
const [begin, end] = ['<!-- costs: written by npm run bench -- --write -->\n', '<!-- /costs -->']

export const costTable = (costs: OperationCost[]): string =>
  markdownTable(
    ['Operation', 'Requests', 'Read units', 'Write units'],
    costs.map(({ name, requests, reads, writes }) => [`\`${name}\``, ...[requests, reads, writes].map(String)]),
  )

export async function statedCosts(): Promise<OperationCost[]> {
  const rows = (await readFile(file, 'utf8')).matchAll(
    /^\| `([A-Z]+ \/[^`]*)` +\| (\d+) +\| ([\d.]+) +\| ([\d.]+) +\|$/gm,
  )
  return [...rows].map(([, name = '', requests, reads, writes]) => ({
    name,
    requests: Number(requests),
    reads: Number(reads),
    writes: Number(writes),
  }))
}

export async function writeCosts(costs: OperationCost[]): Promise<void> {
  const text = await readFile(file, 'utf8')
  const from = text.indexOf(begin) + begin.length
  await writeFile(file, `${text.slice(0, from)}\n${costTable(costs)}\n${text.slice(text.indexOf(end))}`)
}
