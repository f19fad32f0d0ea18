import { expect, it } from 'vitest'
import { groupStatements } from '#infra/local/engines/group-statements.ts'

const list = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}${i}`)

/** An engine that refuses transactions with a bad statement, and tells how many statements each had. */
function engine() {
  const sizes: number[] = []
  const write = groupStatements<string>(async (statements) => {
    sizes.push(statements.length)
    await new Promise((resolve) => setImmediate(resolve))
    if (statements.includes('lost0')) throw new Error('connection lost')
    return !statements.includes('bad0')
  })
  return { sizes, write }
}

it('writes what comes while a transaction is under way with the next, at most 100 statements', async () => {
  const { sizes, write } = engine()
  const answers = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => write(list(name, 25), name)))
  expect(answers).toEqual(Array.from({ length: 6 }, () => true))
  expect(sizes).toEqual([25, 100, 25])
})

it('gives each caller of a refused group a transaction of its own', async () => {
  const { sizes, write } = engine()
  const callers = ['a', 'b', 'bad', 'c'].map((name) => write(list(name, 2), name))
  expect(await Promise.all(callers)).toEqual([true, true, false, true])
  expect(sizes).toEqual([2, 6, 2, 2, 2])
})

it('tells all callers of a group whose outcome is not known, and goes on', async () => {
  const { sizes, write } = engine()
  const callers = ['a', 'lost', 'b'].map((name) => write(list(name, 2), name))
  expect((await Promise.allSettled(callers)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(await write(list('c', 120), 'c')).toBe(true)
  expect(sizes).toEqual([2, 4, 120])
})
