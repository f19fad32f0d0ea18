import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deployShape } from '#infra/release/deploy-shape.ts'
import { shapeText } from '#infra/release/shape-text.ts'
import { withoutCode } from '#infra/without-code.ts'

/** The shape of two stacks with these resources, deployed one after the other. */
function shapeOf(first: object, second: object, nested: object = {}) {
  const outdir = mkdtempSync(join(tmpdir(), 'shape-'))
  const write = (name: string, content: object) => writeFileSync(join(outdir, name), JSON.stringify(content))
  try {
    const stack = { type: 'aws:cloudformation:stack' }
    write('manifest.json', { artifacts: { First: stack, Second: stack } })
    write('First.template.json', { Resources: first })
    write('Second.template.json', { Resources: second })
    write('Second.assets.json', { files: { inner: { source: { path: 'inner.json' } } } })
    write('inner.json', { Resources: nested })
    return deployShape(outdir)
  } finally {
    rmSync(outdir, { recursive: true })
  }
}

it('follows every way in which one resource waits for another', () => {
  const { longestChain, resources } = shapeOf(
    { A: { Type: 'T' }, B: { Type: 'T', DependsOn: 'A' }, C: { Type: 'T', DependsOn: ['A', 'B'] } },
    {
      D: { Type: 'T' },
      E: { Type: 'T', Properties: { Of: { Ref: 'D' } } },
      F: { Type: 'T', Properties: { Of: [{ 'Fn::Sub': 'x-$' + '{E}' }] } },
      G: { Type: 'T', Properties: { Of: { 'Fn::GetAtt': ['F', 'Arn'] }, Region: { Ref: 'AWS::Region' } } },
      H: { Type: 'T' },
    },
  )
  expect(longestChain).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'G'])
  expect(resources).toBe(8)
})

it('puts the chain of a nested stack where the stack is', () => {
  const { longestChain, stacks } = shapeOf(
    {},
    {
      Before: { Type: 'T' },
      Inner: { Type: 'AWS::CloudFormation::Stack', DependsOn: 'Before', Properties: { TemplateURL: 'inner.json' } },
      After: { Type: 'T', DependsOn: 'Inner' },
    },
    { X: { Type: 'T' }, Y: { Type: 'T', DependsOn: 'X' } },
  )
  expect(longestChain).toEqual(['Before', 'X', 'Y', 'Inner', 'After'])
  expect(stacks).toEqual([
    { name: 'First', resources: 0, largest: 0 },
    { name: 'Second', resources: 5, largest: 3 },
  ])
})

it('has a short chain for all of the app, and no route in it', async () => {
  const shape = await withoutCode({}, (app, outdir) => {
    app.synth()
    return deployShape(outdir)
  })
  expect(shape.longestChain.length).toBeLessThanOrEqual(32)
  expect(shape.stacks.map(({ name }) => name)).toEqual(['NetworkAccess-Data', 'NetworkAccess'])
  const lines = shapeText(shape).trimEnd().split('\n')
  expect(lines[0]).toMatch(/^deploy: \d+ resources, \d+ in the longest chain$/)
  expect(lines.at(-1)).toMatch(/^ {2}the longest chain is from \w+ to \w+$/)
  expect(lines.filter((line) => line.length > 200)).toEqual([])
}, 60_000)
