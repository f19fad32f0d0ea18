import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const readme = readFileSync('README.md', 'utf8')

it('fits one page', () => expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120))

it('starts and tests the service with one line each', () => {
  for (const line of ['npm ci && npm start', 'npm ci && npm test']) expect(readme.split('\n')).toContain(line)
})

it('links every document, every part of the contract and the OpenAPI document', () => {
  const documents = [
    ...readdirSync('docs').filter((file) => /\.(md|json)$/.test(file)),
    ...readdirSync('docs/contract').map((file) => `contract/${file}`),
  ]
  // Excludes the facts about providers, because the identity contract links to them instead of the README.
  const linked = documents.filter((file) => file !== 'contract/identity-wire.md')
  expect(linked.length).toBeGreaterThan(20)
  expect(linked.filter((file) => !readme.includes(`](docs/${file})`))).toEqual([])
})
