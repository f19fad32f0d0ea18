import { randomUUID } from 'node:crypto'
import { commitItem, rowDigest, rowName } from '#shared/commit/commit-record.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { type GroupRow, groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { checkRows } from '#shared/jobs/row-check/check-rows.ts'
import { indexItems, rowItem, uniqueItems } from '#shared/table/entity.ts'
import { accountVersionKey, commitKey, counterSort, type Item } from '#shared/table/keys.ts'
import { measureCpu } from '#test/support/largest/cpu-cost.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantIntoFile } from '#test/support/table/plant-items.ts'
import { subject } from './write-export.ts'

/** Generates group items as commits store them. Uses one commit per group, which produces the maximum number of commits. */
function* groupsOf(account: string, count: number): Generator<Item> {
  const begin = clock.now() - 86_400_000_000
  const counters = new Set<string>()
  for (let i = 0; i < count; i++) {
    const [sequence, commit_id, time] = [i + 1, randomUUID(), begin + i * 1_000]
    const at = timestamp(time)
    const row: GroupRow = { ...nativeGroup, id: randomUUID(), name: `Group ${i}`, inserted_at: at, updated_at: at }
    const item = { ...rowItem(groups, account, row), commit: sequence }
    const indexes = indexItems(groups, account, row)
    for (const { pk } of indexes) counters.add(pk)
    yield* [item, ...indexes, ...uniqueItems(groups, account, row)]
    yield commitItem(commitKey(account, sequence), {
      account_id: account,
      commit_id,
      sequence,
      time,
      first_leaf: i,
      subject,
      changes: [{ object: 'groups', operation: 'insert', before: null, after: row }],
      rows: { [rowName(item)]: rowDigest(commit_id, item) },
      revocations: [],
      follow_ups: [],
    })
  }
  for (const pk of counters) yield { pk, sk: counterSort, kind: 'counter', rows: 1 }
  yield {
    ...accountVersionKey(account),
    kind: 'account_version',
    sequence: count,
    clock: begin + count * 1_000,
    counts: {},
    leaves: count,
  }
}

export async function rowCheckFigures(count: number): Promise<string> {
  const account = randomUUID()
  plantIntoFile(groupsOf(account, count))
  let [cpu, findings, startedAt] = [0, 0, Date.now()]
  const { reads, requests } = await measure(async () => {
    startedAt = Date.now()
    cpu = await measureCpu(async () => {
      const check = await checkRows({ account_id: account })
      findings = check.findings.filter(({ item }) => item === 'row' || item === 'commit').length
    })
  })
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1)
  return `checking ${count} rows: ${seconds} s, ${(cpu / 1e6).toFixed(1)} s of CPU, ${reads} read units in ${requests} requests, ${findings} findings of rows\n`
}
