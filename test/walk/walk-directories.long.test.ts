import { expect, it } from 'vitest'
import { walkDirectories } from './walk-directories.ts'

it('walks each kind of directory from its preview to a rewind', { timeout: 600_000 }, async () => {
  const lines: string[] = []
  const walked = await walkDirectories({ people: 40, say: (text) => void lines.push(text) })
  expect(Object.keys(walked).sort()).toEqual(['idp', 'suite', 'tenant'])
  // Expects an output line for each step, because a step checks only its own result and could be skipped unnoticed.
  for (const kind of Object.keys(walked)) expect(lines.filter((line) => line.startsWith(kind))).toHaveLength(15)
})
