import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { walkSteps } from '#infra/smoke/walk.ts'

const operating = readFileSync('docs/operating.md', 'utf8')

const section = (heading: string): string =>
  operating.slice(operating.indexOf(`\n## ${heading}\n`) + 1).split(/\n(?=## )/)[0] ?? ''

const checklist = section('The first deployment')

/** Text of each step by number, joined into one line. */
const steps = new Map(
  checklist.split(/\n(?=\d+\. )|\n\n(?=\S)/).flatMap((part): [number, string][] => {
    const [, number, text = ''] = /^(\d+)\. (.*)$/s.exec(part) ?? []
    return number ? [[Number(number), text.replace(/\s+/g, ' ')]] : []
  }),
)

describe('the checklist of the first deployment', () => {
  it('fits on one page', () => expect(checklist.trimEnd().split('\n').length).toBeLessThanOrEqual(130))

  it('numbers its steps without a gap', () => {
    expect([...steps.keys()]).toEqual([...steps.keys()].map((_, index) => index + 1))
    expect(steps.size).toBeGreaterThan(15)
  })

  it('describes in each step how to verify and how to undo it', () => {
    const without = [...steps].filter(([, text]) => !/\*\*Verify\*\*: \S.*\*\*Undo\*\*: \S/.test(text))
    expect(without).toEqual([])
  })

  it('has the steps in the order in which they can fail', () => {
    const subjects = [...steps.values()].map((text) => /^\*\*([^*]+?)\.?\*\*/.exec(text)?.[1])
    const order = [
      'Credentials and tools',
      'Quotas',
      'Mail',
      'Settings',
      'Bootstrap',
      'Data',
      'Service',
      'First account',
    ]
    expect(subjects.filter((subject) => order.includes(subject ?? ''))).toEqual(order)
  })

  it('names an existing step for each unproven point', () => {
    const rows = [...checklist.matchAll(/^\| [^|]+ \| ([\d, ]+?) +\|$/gm)].flatMap(([, numbers = '']) =>
      numbers.split(', ').map(Number),
    )
    expect(rows.length).toBeGreaterThan(5)
    expect(rows.filter((number) => !steps.has(number))).toEqual([])
  })
})

describe('the description of the smoke test', () => {
  const described = section('The smoke test')

  it('names every step', () => {
    const names = ['account', ...walkSteps, 'sign-in', 'checkpoint', 'alarm', 'clean-up']
    expect(names.filter((name) => !described.includes(`\`${name}\``))).toEqual([])
  })

  it('names every option', () => {
    const options = readFileSync('infra/smoke/options.ts', 'utf8').match(/--[a-z-]+(?= {2,}| <)/g) ?? []
    expect(new Set(options).size).toBeGreaterThan(5)
    expect(options.filter((option) => !described.includes(option))).toEqual([])
  })
})
