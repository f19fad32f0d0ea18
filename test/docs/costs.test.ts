import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { billedResources } from '#test/bench/costs/billed-resources.ts'
import { withDerived } from '#test/bench/costs/costs.ts'
import { templatesOf } from '#test/support/service/templates.ts'

const text = readFileSync('docs/costs.md', 'utf8')
const sectionOf = (heading: string): string => text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''

/** Returns the rows of the table in a section, keyed by their first cell. */
const rowsOf = (heading: string): Map<string, string[]> =>
  new Map(
    [...sectionOf(heading).matchAll(/^\| (.+) \|$/gm)].map(([, cells = '']) => {
      const [name = '', ...others] = cells.split('|').map((cell) => cell.trim())
      return [name, others]
    }),
  )
const numberIn = (cell = ''): number => Number(cell.replace(/[*,]/g, ''))

it('docs/costs.md follows from prices, templates and its measured units: npm run bench -- --derived', async () => {
  expect(await withDerived(text)).toBe(text)
})

it.each(['At rest', 'Example fleet'])('the sums of %s equal their rows', (heading) => {
  const [head, , ...rows] = [...rowsOf(heading).entries()]
  const columns =
    head?.[1].flatMap((name, at) => (/^\D+$/.test(name) && !/^(By|With Cloud)/.test(name) ? [at] : [])) ?? []
  expect(columns).toHaveLength(2)
  for (const at of columns) {
    const parts = rows.filter(([name]) => name !== '**sum**').map(([, cells]) => numberIn(cells[at]))
    const sum = numberIn(rows.find(([name]) => name === '**sum**')?.[1][at])
    // Allows a rounding error of one unit per row, because each row is rounded.
    const unit = heading === 'At rest' ? 0.01 : 1
    expect(Math.abs(parts.reduce((total, part) => total + part, 0) - sum)).toBeLessThanOrEqual(unit * parts.length)
    expect(sum).toBeGreaterThan(0)
  }
})

it('counts each metric of an alarm in any stack', async () => {
  const operations = await loadOperations()
  const alarms = (await templatesOf(operations)).all('AWS::CloudWatch::Alarm')
  const names = JSON.stringify(alarms).match(/"MetricName":/g)
  expect((await billedResources()).alarmMetrics).toBe(names?.length)
  expect(numberIn(rowsOf('At rest').get('metrics that alarms watch')?.[0])).toBe(names?.length)
  // Expects more alarms than in a service without operations, because only operations add the alarms that CodeDeploy reads.
  const ofService = (await templatesOf([])).all('AWS::CloudWatch::Alarm')
  expect(names?.length).toBeGreaterThan(JSON.stringify(ofService).match(/"MetricName":/g)?.length ?? 0)
})

it('prices backup copies at any table rate, point-in-time recovery and the cheaper table class', () => {
  expect(rowsOf('Storage').get('`week`')?.slice(0, 2)).toEqual(['10', '1.00'])
  expect(rowsOf('Storage').get('`day`')?.slice(0, 2)).toEqual(['70', '7.00'])
  expect(sectionOf('Storage')).toMatch(/it is cheaper if the table has at least \d+ GB/)
})
