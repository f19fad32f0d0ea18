import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sealLine } from '#shared/seal/export/export-seal.ts'
import { verifyExport } from '#shared/seal/export/verify-export.ts'
import { emptyRoot } from '#shared/seal/merkle/merkle-proof.ts'
import { changeAt, changes, exportText, keyText, newSigner, sealedExport } from '#test/support/seal/sealed-export.ts'

let file: string
let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'canonical-export-'))
  file = join(dir, 'export.ndjson')
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const signer = newSigner()
const nested = { name: 'Ada', tags: [{ colour: 'red', 7: null, deep: { x: 1, y: [true, 'two'] } }], size: 12.5 }
const odd = { name: 'a\u2028b\u0085c\u202ed\u{e0041}e\ufffdf', __proto__x: 1, '': 'empty', 10: 'ten', 9: 'nine' }
const entries = changes(12).with(4, changeAt(4, nested)).with(5, changeAt(5, odd))
const made = sealedExport({ entries, signer }, 2, 9)
const text = exportText(made)
const verified = (content: string | Buffer) => {
  writeFileSync(file, content)
  return verifyExport(file, { key: keyText(signer) })
}

it('verifies an unchanged export', async () => {
  expect((await verified(text)).proven).toEqual({ begin: true, end: true })
})

it('escapes characters that editors hide or show as a line end', () => {
  expect(made.lines[3]).toContain('a\\u2028b\\u0085c\\u202ed\\udb40\\udc41e')
  expect(text).not.toMatch(/[\u0085\u2028\u2029\u202e\ufeff]/)
})

const middle = made.lines[2] ?? ''
it.each<[string, string]>([
  ['a name twice, the lie first', `{"after":{"name":"LIE"},${middle.slice(1)}`],
  ['a name twice, spelled with an escape', `{"\\u0061fter":{"name":"LIE"},${middle.slice(1)}`],
  ['a name twice, the lie last', `${middle.slice(0, -1)},"type":"change"}`],
  ['a name twice within a snapshot', middle.replace('"deep":{', '"deep":{"x":2,')],
  ['__proto__', `{"__proto__":{"name":"LIE"},${middle.slice(1)}`],
  ['a number in another spelling', middle.replace('12.5', '12.50')],
  ['a number with an exponent', middle.replace('12.5', '1.25e1')],
  ['a number beyond all', middle.replace('12.5', '1e400')],
  ['a letter as an escape', middle.replace('Ada', '\\u0041da')],
  ['half of a surrogate pair', middle.replace('Ada', '\\ud800')],
  ['a carriage return', `${middle}\r`],
  ['a blank at its end', `${middle} `],
  ['a byte order mark', `\ufeff${middle}`],
  ['a next line character', `${middle}\u0085`],
  ['a line separator', `${middle}\u2028`],
  ['a comma too many', `${middle.slice(0, -1)},}`],
  ['nesting without an end', '{"a":'.repeat(100_000)],
])('refuses a line with %s', async (_what, line) => {
  expect(line).not.toBe(middle)
  await expect(verified(text.replace(middle, () => line))).rejects.toMatchObject({ name: 'Error', line: 3 })
})

it('rejects bytes that decode to another character', async () => {
  const bytes = Buffer.from(text)
  const at = bytes.indexOf(Buffer.from('\ufffd'))
  await expect(
    verified(Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff]), bytes.subarray(at + 3)])),
  ).rejects.toThrow('line 4 is not UTF-8 text')
})

it.each<[string, (seal: string) => string]>([
  ['a name twice', (seal) => `{"stream":"session",${seal.slice(1)}`],
  ['a member more', (seal) => seal.replace('"note":', '"remark":"no entry is missing","note":')],
  ['other white space', (seal) => seal.replace('"note":', '"note": ')],
  ['another order', (seal) => seal.replace('"log":"changes","stream":"change"', '"stream":"change","log":"changes"')],
  ['marks in another alphabet', (seal) => seal.replace(/"leaves":"(.)/, '"leaves":"*')],
  ['a byte more behind its marks', (seal) => seal.replace('=="}', 'A="}')],
  ['a blank behind its key', (seal) => seal.replace('","entries"', ' ","entries"')],
  [
    'hours of another log',
    (seal) =>
      seal.replace(
        /"leaves":/,
        `"hours":[{"hour":"${made.seal.range.begin}","root":"${emptyRoot().toString('base64')}","size":1,"stream":"session"}],$&`,
      ),
  ],
  ['blanks behind it', (seal) => `${seal} `],
  ['no line feed behind it', (seal) => seal],
])('refuses a seal with %s', async (what, change) => {
  const seal = sealLine(made.seal)
  const changed = [...made.lines, change(seal)].join('\n')
  expect(changed).not.toBe(text)
  await expect(verified(what === 'no line feed behind it' ? changed : `${changed}\n`)).rejects.toThrow()
})

const places = (line: string, pattern: RegExp): number[] => [...line.matchAll(pattern)].map(({ index }) => index + 1)

const lineOf = fc.constantFrom(...made.lines, sealLine(made.seal))
const mutation = fc.oneof(
  lineOf.chain((line) =>
    fc.record({
      line: fc.constant(line),
      at: fc.constantFrom(...places(line, /\{(?=")/g)),
      add: fc.constantFrom('"name":"LIE",', '"\\u006eame":"LIE",', '"__proto__":1,', '"x":{"x":[]},', '"log_id":"0",'),
    }),
  ),
  lineOf.chain((line) =>
    fc.record({
      line: fc.constant(line),
      at: fc.constantFrom(0, line.length, ...places(line, /[{}[\],:](?=["{}[\],\d])/g)),
      add: fc.constantFrom(' ', '\t', '\r', '\n', '\u00a0', '\ufeff', '\u2028'),
    }),
  ),
)

it('rejects repeated members and white space at any position', async () => {
  await fc.assert(
    fc.asyncProperty(mutation, async ({ line, at, add }) => {
      const changed = text.replace(line, () => line.slice(0, at) + add + line.slice(at))
      await expect(verified(changed)).rejects.toThrow()
    }),
    { numRuns: 300 },
  )
})

const shuffled = (value: unknown, order: (names: string[]) => string[]): unknown => {
  if (Array.isArray(value)) return value.map((one) => shuffled(one, order))
  if (typeof value !== 'object' || value === null) return value
  const object = value as Record<string, unknown>
  return Object.fromEntries(order(Object.keys(object)).map((name) => [name, shuffled(object[name], order)]))
}

it('rejects another order of members or lines', async () => {
  const order = fc.constantFrom<(names: string[]) => string[]>(
    (names) => names.toReversed(),
    (names) => names.toSorted((one, other) => one.length - other.length),
    (names) => [...names.slice(1), ...names.slice(0, 1)],
  )
  await fc.assert(
    fc.asyncProperty(lineOf, order, async (line, of) => {
      const changed = JSON.stringify(shuffled(JSON.parse(line), of))
      fc.pre(changed !== line)
      await expect(verified(text.replace(line, () => changed))).rejects.toThrow()
    }),
  )
  const swaps = fc.tuple(fc.nat(made.lines.length), fc.nat(made.lines.length)).filter(([one, other]) => one !== other)
  await fc.assert(
    fc.asyncProperty(swaps, async ([one, other]) => {
      const lines = text.split('\n')
      const swapped = lines.with(one, lines[other] ?? '').with(other, lines[one] ?? '')
      await expect(verified(swapped.join('\n'))).rejects.toThrow()
    }),
  )
})

it('rejects any changed byte', async () => {
  // Skips the seal's `range` field, because a changed range is still valid if the neighbouring entries prove it.
  const whole = Buffer.from(text)
  const range = [whole.indexOf('"range":'), whole.indexOf('"note":')] as const
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const bytes = Buffer.from(whole)
      fc.pre(at < range[0] || at > range[1])
      bytes[at] = ((bytes[at] ?? 0) + by) % 256
      await expect(verified(bytes)).rejects.toThrow()
    }),
    { numRuns: 500 },
  )
})
