import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const folder = 'docs/contract'
const contract = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'utf8'))
const kinds = ['email_otp', 'oidc', 'suite', 'tenant', 'idp']

/** All words in the contract. A word with `{kind}` is expanded for each kind of provider and directory. */
const words = new Set(
  contract
    .flatMap((text) => text.match(/(?:\{kind\}|[…\w])+/g) ?? [])
    .flatMap((word) => (word.includes('{kind}') ? kinds.map((kind) => word.replace('{kind}', kind)) : word)),
)

/** True if the contract contains a name. A table row may abbreviate names that start alike: `last_seen_at, …_version`. */
const isSaid = (name: string): boolean => {
  const parts = name.split('_')
  return words.has(name) || parts.some((_part, at) => at > 0 && words.has(`…_${parts.slice(at).join('_')}`))
}

function propertiesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { properties } = node as { properties?: unknown }
  const own = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  return [...own, ...Object.values(node).flatMap(propertiesIn)]
}

it('every field of a request and a response is in the contract', () => {
  const fields = new Set(propertiesIn(JSON.parse(readFileSync('docs/openapi.json', 'utf8'))))
  expect(fields.size).toBeGreaterThan(300)
  expect([...fields].filter((name) => !isSaid(name))).toEqual([])
})

it('detects a field that is missing from the contract', () => {
  expect(['cost_center', 'last_seen_remote_ip_location_city', 'idp_directory'].filter((name) => !isSaid(name))).toEqual(
    ['cost_center'],
  )
})
