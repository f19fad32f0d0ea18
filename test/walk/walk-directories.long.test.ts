import { expect, it } from 'vitest'
import { walkDirectories } from './walk-directories.ts'

it('a directory of each kind goes from its preview to a run that is taken back', { timeout: 600_000 }, async () => {
  const said: string[] = []
  const walked = await walkDirectories({ people: 40, say: (text) => void said.push(text) })
  expect(Object.keys(walked).sort()).toEqual(['idp', 'suite', 'tenant'])
  // Each step has held what it found against what it should be; here is that all of them were walked.
  for (const kind of Object.keys(walked)) expect(said.filter((line) => line.startsWith(kind))).toHaveLength(15)
})
