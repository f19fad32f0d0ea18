import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { getItems } from '#shared/table/read.ts'
import { executeTogether, insertion, type Statement } from '#shared/table/statements.ts'
import { tableName } from '#shared/table/table.ts'
import { recordCommands } from '#test/support/table/intercept-table.ts'

let commands: ReturnType<typeof recordCommands>
beforeEach(() => {
  commands = recordCommands()
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const sent = () => commands.splice(0).map((command) => command.constructor.name)
const pk = `test#${randomUUID()}`
const insert = (sk: string, value: unknown = 1) => insertion({ pk, sk, value })
const update = (sk: string): Statement => ({
  Statement: `UPDATE "${tableName()}" SET "other" = ? WHERE "pk" = ? AND "sk" = ? AND "other" IS MISSING`,
  Parameters: [2, pk, sk],
})
const stored = async (...sks: string[]) => (await getItems(sks.map((sk) => ({ pk, sk })))).map((item) => item?.value)

it('runs a batch as one transaction on a single machine, and each statement separately if a condition fails', async () => {
  vi.stubEnv('BATCHES_AS_TRANSACTIONS', '1')
  expect(await executeTogether([insert('c'), insert('d', '9007199254740993')])).toEqual(['done', 'done'])
  expect(sent()).toEqual(['ExecuteTransactionCommand'])
  expect(await executeTogether([insert('e'), insert('c', 2), update('none'), update('d')])).toEqual([
    'done',
    'unmet',
    'unmet',
    'done',
  ])
  expect(sent()).toEqual(['ExecuteTransactionCommand', 'BatchExecuteStatementCommand'])
  expect(await stored('c', 'd', 'e')).toEqual([1, '9007199254740993', 1])
})

it('never runs a transaction on AWS, nor for a single statement', async () => {
  await executeTogether([insert('f'), insert('g')])
  vi.stubEnv('BATCHES_AS_TRANSACTIONS', '1')
  await executeTogether([insert('h')])
  expect(sent()).toEqual(['BatchExecuteStatementCommand', 'BatchExecuteStatementCommand'])
})
